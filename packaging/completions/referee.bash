# Completion in bash, for bash-completion.
source <(referee completions bash)
