package render

// locals are the types, parameters and variables of templates in whose scope a package is named that
// is not known. No such package may have one of these names.
var locals = map[string]bool{
	"action": true, "b": true, "c": true, "client": true, "config": true, "copied": true, "cs": true,
	"ctx": true, "data": true, "defaultResync": true, "entries": true, "err": true, "f": true, "factory": true,
	"fake": true, "fieldManager": true, "g": true, "genericInformer": true, "group": true, "groupVersion": true,
	"gv": true, "h": true, "httpClient": true, "i": true, "in": true, "indexer": true, "indexers": true,
	"informer": true, "inner": true, "invoke": true, "j": true, "k": true, "key": true, "kind": true, "l": true,
	"localSchemeBuilder": true, "name": true, "namespace": true, "namespaced": true, "obj": true,
	"objects": true, "ok": true, "options": true, "opts": true, "out": true, "patchOpts": true, "pt": true,
	"request": true, "resource": true, "result": true, "resyncPeriod": true, "server": true,
	"setConfigDefaults": true, "sharedInformerFactory": true, "sharedInformers": true,
	"subresource": true, "subresources": true, "timeout": true, "tweakListOptions": true, "typed": true,
	"v": true, "val": true, "value": true, "values": true, "version": true,
}
