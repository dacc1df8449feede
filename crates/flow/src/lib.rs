//! Flow on a graph: which edges must be counted, and what the others carry.
