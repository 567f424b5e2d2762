// Package existing has the input and the output of --versioned-clientset-package:
//
//	api        aliases of built-in kinds, and a view of another one
//	generated  listers and informers over the clientset of client-go, for these and for built-in kinds
package existing
