package types

type PatchType string

const MergePatchType PatchType = "application/merge-patch+json"
