package decoding

import (
	"fmt"
	"strings"
)

// podTextOf is a Pod as API servers send it, of about 1.9 KB: one with a
// container, an owner, conditions, and two managers.
func podTextOf(i int) []byte {
	id := fmt.Sprintf("%05d", i)
	return []byte(strings.NewReplacer("$ID", id, "$NAMESPACE", fmt.Sprint("team-", i%40), "$NODE", fmt.Sprint("node-", i%200), "$APP", fmt.Sprint("app-", i/10%300)).Replace(
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"$APP-7d9f8c6b5-$ID","generateName":"$APP-7d9f8c6b5-","namespace":"$NAMESPACE","uid":"3f6c1b5e-9a7d-4c2e-8f10-0000000$ID","resourceVersion":"184$ID","creationTimestamp":"2024-05-17T09:26:41Z",` +
			`"labels":{"app":"$APP","pod-template-hash":"7d9f8c6b5","tier":"backend"},"annotations":{"prometheus.io/scrape":"true"},` +
			`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"$APP-7d9f8c6b5","uid":"b0a1c2d3-1111-2222-3333-444455556666","controller":true,"blockOwnerDeletion":true}],` +
			`"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2024-05-17T09:26:41Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:name":{}}}}}},` +
			`{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"2024-05-17T09:26:55Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:phase":{},"f:podIP":{}}},"subresource":"status"}]},` +
			`"spec":{"containers":[{"name":"main","image":"registry.example.com/$APP:v1.2.3","ports":[{"containerPort":8080,"protocol":"TCP"}],"env":[{"name":"POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m"}},"imagePullPolicy":"IfNotPresent"}],` +
			`"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","nodeName":"$NODE"},` +
			`"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2024-05-17T09:26:55Z"}],"hostIP":"10.0.0.7","podIP":"10.1.2.3","startTime":"2024-05-17T09:26:41Z","qosClass":"Burstable"}}`))
}

func podText() []byte { return podTextOf(0) }
