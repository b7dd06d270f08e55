echo built
