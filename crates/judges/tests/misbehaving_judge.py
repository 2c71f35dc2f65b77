#!/usr/bin/env python3
"""A judge of three questions that fails as it is told: misbehaving_judge.py codingame|judge [FAULT].

A question is a number, which a good bot repeats; the score is the sum. Without a fault it is a good judge. A fault happens
after the second reply, unless its name ends in `-at-start`.
"""

import json
import os
import sys
import time

PROTOCOL, FAULT = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
IS_SDK = PROTOCOL == "codingame"


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def block(name, *lines):
    return f"[[{name}] {len(lines)}]\n" + "".join(line + "\n" for line in lines)


def hear():
    """What the referee says: a reply, or None if there is none."""
    line = sys.stdin.readline()
    if not line:
        sys.exit()  # The referee has given up; a traceback would push what was said before out of its end.
    if not IS_SDK:
        message = json.loads(line)
        return message.get("reply")
    if "SET_PLAYER_TIMEOUT" in line:
        reply = None
    else:
        count = int(line.split()[1].rstrip("]"))
        reply = [sys.stdin.readline().rstrip("\n") for _ in range(count)]
    sys.stdin.readline()  # GET_GAME_INFO
    return reply


def view():
    return block("VIEW", "KEY_FRAME 0", "{}") + block("INFOS")


def ask(number, score, summary):
    if IS_SDK:
        input_and_info = block("NEXT_PLAYER_INPUT", str(number)) + block("NEXT_PLAYER_INFO", "0", "1", "50")
        say(view() + block("INFOS", *summary) + input_and_info)
    else:
        say(json.dumps({"ask": f"{number}\n", "limit_ms": 50, "score": score, "summary": summary}) + "\n")


def end(how, score, official, summary):
    if IS_SDK:
        colour = "GREEN" if how == "completed" else "RED"
        summary = [*summary, f"¤{colour}¤{official}§{colour}§"]
        say(view() + block("INFOS", *summary) + block("METADATA", json.dumps({"Points": "NaN" if score != score else str(score)})))
        say(block("SCORES", "0 1" if how == "completed" else "0 0"))
    else:
        say(json.dumps({"end": how, "score": score, "official": official, "summary": summary}) + "\n")


def fail(fault):
    """Does what is wrong; what returns goes on with the game."""
    print(f"about to do: {fault}", file=sys.stderr, flush=True)
    if fault in ("hang", "hang-at-start"):
        time.sleep(3600)
    elif fault in ("crash", "crash-at-start"):
        raise RuntimeError("the judge's own mistake")
    elif fault == "exit":
        sys.exit(0)
    elif fault == "die":
        os.kill(os.getpid(), 11)
    elif fault in ("garbage", "garbage-at-start"):
        say("thinking about it...\n")
    elif fault == "unfinished":
        say("[[VIE" if IS_SDK else '{"ask"')
        time.sleep(3600)
    elif fault == "count":
        say("[[VIEW] 99999999999]\n" if IS_SDK else '{"ask":"","lines":99999999}\n')
    elif fault == "flood":
        while True:
            say("x" * 100_000)
    elif fault == "stderr":
        for number in range(200_000):
            print(f"log line {number}", file=sys.stderr)
    elif fault == "fail":
        say(block("FAIL", "java.lang.RuntimeException: Total game duration too long (>30000ms)", "\tat x") * 2)
        sys.exit(1)
    elif fault == "closed":
        os.close(1)
        time.sleep(3600)
    elif fault == "memory":
        wasted = bytearray(1 << 30)
        wasted[:: 1 << 12] = b"x" * (1 << 18)
        time.sleep(3600)
    elif fault == "nan":
        end("completed", float("nan"), "Done.", [])
    elif fault == "unknown":
        say("[[NOVELTY] 0]\n" if IS_SDK else '{"end":"won"}\n')
    elif fault == "eager":
        say('{"ask":"8\\n"}\n{"end":"completed","score":8}\n')
        time.sleep(3600)
    elif fault == "frames":
        while True:
            say(view() + block("NEXT_PLAYER_INPUT") + block("NEXT_PLAYER_INFO", "0", "0", "50"))
            hear()
    elif fault == "child":
        # One that would outlive it.
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(3600)
            os._exit(0)
        os._exit(3)


def main():
    sys.stdin.readline()
    if IS_SDK:
        for _ in range(3):  # the number of players, the test case, GET_GAME_INFO
            sys.stdin.readline()
    if FAULT.endswith("-at-start"):
        fail(FAULT)
    score, summary, number = 0, [], 0
    while number < 3 or FAULT == "endless":
        if FAULT == "slow":
            time.sleep(1)
        ask(number, score, summary)
        reply = hear()
        if number == 1 and not FAULT.endswith("-at-start"):
            fail(FAULT)
        if reply is None:
            if FAULT == "again":
                continue
            return end("lost", score, "Timeout!", [])
        if reply != [str(number)]:
            return end("lost" if IS_SDK else "malformed", score, f"not {number}: {reply}", [])
        score += number
        summary = [f"took {number}"]
        number += 1
    end("completed", score, "Done.", summary)


main()
