# Makes the beginner's mistake that its argument names.
set -u
mistake=$1

lines() {
    board=()
    for ((row = 0; row < $1; row++)); do
        IFS= read -r line || exit 0
        board+=("$line")
    done
}

[ "$mistake" = debug ] && echo "reading the board"
if [ "$mistake" = all ]; then
    board=$(cat)
    echo 0 0
    exit
fi
while [ "$mistake" = more ]; do
    lines 16
    echo 0 0
done
lines 15
[ "$mistake" = throw ] && echo "${board[15]}"
while [ "$mistake" = spin ]; do :; done
for ((row = 0; row < 15; row++)); do
    tiles=(${board[row]})
    for ((column = 0; column < 14; column++)); do
        if [ "${tiles[column]}" = "${tiles[column + 1]}" ]; then
            echo "$column $row"
            lines 15
        fi
    done
done
