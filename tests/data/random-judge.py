"""A judge that draws everything that a judge may say, at any moment, from its seed.

It is started with a protocol and a number of players. A question is a number, for the bot of random_judges.rs: the lines to answer,
0 for an answer that ends with the bot, -1 to exit without one, and -2 for one that is too long. The metadata have what the referee should
make of the game.
"""

import json, random, re, sys

protocol, players = sys.argv[1], int(sys.argv[2])


def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return line.rstrip("\n")


def write(*lines):
    print(*lines, sep="\n", flush=True)


def some(*values):
    return rng.choice(values)


def lines_of_summary():
    words = ["", "  ", "$0 beats $1", "¤RED¤late§RED§", "a\tb", "é ٣ 🦀", "x" * 400, '{"end":"lost"}']
    return [rng.choice(words) for _ in range(some(0, 0, 1, 1, 2, 5))]


def score():
    return some("0", "10", "10.0", "-3", "0.125", "1e3", "-2.5E+2", "53800.0", "7e28", "-7e28")


summary, inside, first = [], list(range(players)), True
turns = None


def new_summary():
    new = lines_of_summary()
    summary.extend(new)
    return new


def question():
    """The next player and what its bot is to do."""
    what = rng.choice([1] * 12 + [2, 3, -1, -2] + ([0] if protocol == "judge" else []))
    return rng.choice(inside), what, max(what, 1)


def metadata(**expected):
    return {"expected": json.dumps({"summary": summary, **expected}), "colour": "¤GREEN¤"}


def json_lines():
    global first
    last = None
    while turns[0] > 0 and inside:
        turns[0] -= 1
        player, what, lines = question()
        ask = {"ask": f"{what}\n", "summary": new_summary()}
        if what == 0:
            ask["lines"] = None
        elif lines > 1 or some(True, False):
            ask["lines"] = lines
        if some(True, False):
            ask["limit_ms"] = 20_000.5
        if players > 1:
            ask["player"] = player
            out = [seat for seat in inside if seat != player and rng.random() < 0.1 and not first]
            ask["out"] = [put_out(seat) for seat in out]
        text = json.dumps(ask)
        if players == 1 and some(True, False):
            last = score()
            text = text[:-1] + f', "score": {last}}}'
        first = False
        write(text)
        answer = json.loads(read())
        if "no_reply" in answer or what == 0:
            inside.remove(player)
    end = {"end": "completed", "summary": new_summary()}
    if some(True, False):
        end["official"] = some("done", "$0 wins", "¤GREEN¤Done.§GREEN§", "z" * 3000)
    if players == 1:
        if some(True, False):
            last = score()
        end["end"] = some("completed", "lost", "malformed", "illegal")
        end["metadata"] = metadata(score=last)
        return write(json.dumps(end)[:-1] + (f', "score": {last}}}' if last else "}"))
    scores = [score() for _ in range(players)]
    values = [float(it) for it in scores]
    places = [1 + sum(other > value for other in values) for value in values]
    out = [seat for seat in inside if rng.random() < 0.2]
    end["out"] = [put_out(seat) for seat in out]
    end["metadata"] = metadata(places=places)
    fields = some((True, True), (True, False), (False, True))
    text = json.dumps(end)[:-1]
    text += f', "scores": [{", ".join(scores)}]' if fields[0] else ""
    text += f', "places": {places}' if fields[1] else ""
    write(text + "}")


def put_out(seat):
    inside.remove(seat)
    out = {"player": seat, "how": some("lost", "malformed", "illegal")}
    return {**out, "official": some("", "$0 cheats", "y" * 3000)} if some(True, False) else out


def block(name, lines):
    write(f"[[{name}] {len(lines)}]", *lines)


def news():
    """What the engine says before a question or the end, in any order. Of viewers the referee keeps the tooltips."""
    parts = ["summary", "view", "tooltip", "monitoring"]
    rng.shuffle(parts)
    for part in parts[: some(0, 1, 2, 4)]:
        if part == "summary":
            block(some("INFOS", "SUMMARY"), new_summary())
        if part == "view":
            block("VIEW", ["KEY_FRAME 0", "{}"])
        if part == "monitoring":
            block("MONITORING", [])
        if part == "tooltip" and players > 1:
            seat = rng.randrange(players)
            text = some("fine", "$0 is late", "¤RED¤out§RED§", "t" * 3000)
            block("TOOLTIP", [text, str(seat)])
            summary.append(f"${seat}: {text}")


def codingame():
    while turns[0] > 0 and inside:
        turns[0] -= 1
        news_in_order()
        player, what, lines = question()
        if rng.random() < 0.2:
            block("NEXT_PLAYER_INPUT", [])
            block("NEXT_PLAYER_INFO", [str(player), "0", "50"])
            read_output()
            continue
        block("NEXT_PLAYER_INPUT", [str(what)])
        block("NEXT_PLAYER_INFO", [str(player), str(lines), "20000"])
        if not read_output():
            inside.remove(player)
    news_in_order()
    scores = [rng.randrange(-1, 5) for _ in range(players)]
    if players == 1:
        scores = [some(0, 1)]
        last = score()
        block("METADATA", [json.dumps({**metadata(score=last), "Points": last})])
    else:
        places = [1 + sum(other > value for other in scores) for value in scores]
        block("UINPUT", [f"seed={seed}", "size=3"])
        block("METADATA", [json.dumps(metadata(places=places))])
    block("SCORES", [f"{seat} {it}" for seat, it in enumerate(scores)])


def news_in_order():
    """The summary of a step comes before its tooltips, whatever their order."""
    before = len(summary)
    news()
    new = summary[before:]
    is_tooltip = lambda line: re.match(r"\$\d: ", line) is not None
    summary[before:] = [it for it in new if not is_tooltip(it)] + [it for it in new if is_tooltip(it)]


def read_output():
    """Reads the answer to a question and the next request; whether there is an answer."""
    name, count = re.fullmatch(r"\[\[(\w+)\] (\d+)\]", read()).groups()
    for _ in range(int(count)):
        read()
    assert read() == "[[GET_GAME_INFO] 0]"
    return name == "SET_PLAYER_OUTPUT"


def brutaltester():
    while turns[0] > 0:
        turns[0] -= 1
        player, what, lines = question()
        if rng.random() < 0.2:
            error = f"###Error {rng.randrange(players)} {some('', '$0 is out', 'e' * 3000)}"
            print(error, file=some(sys.stderr, sys.stdout), flush=True)
        write(f"###Input {player}", str(what), f"###Output {player} {lines}")
        for _ in range(lines):
            read()
    seats = [str(seat) for seat in range(players)]
    rng.shuffle(seats)
    groups = "".join(seat + some("", " ") for seat in seats)
    write(f"###End {groups.strip()}")


start = read()
if protocol == "judge":
    seed = json.loads(start)["seed"]
elif protocol == "brutaltester":
    seed = int(start.split()[1])
    read()
else:
    lines = [read() for _ in range(int(start.split()[1].rstrip("]")))]
    assert read() == "[[GET_GAME_INFO] 0]"
    seed = int(lines[1].removeprefix("seed="))
rng = random.Random(f"{protocol} {players} {seed}")
turns = [some(1, 1, 2, 3, 6)]
{"judge": json_lines, "codingame": codingame, "brutaltester": brutaltester}[protocol]()
