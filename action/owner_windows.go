package action

// restoreOwner does nothing, because Windows has no user root.
func (s *wrapped) restoreOwner() {}
