"""What the four backends share: no framework, no tensor operation."""
