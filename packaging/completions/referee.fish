# Completion in fish.
referee completions fish | source
