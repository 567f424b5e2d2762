package wait

import "time"

func Until(f func(), period time.Duration, stop <-chan struct{}) {}
