"""The robot: joints, friction, links, the declaration, and the tree that algorithms read."""
