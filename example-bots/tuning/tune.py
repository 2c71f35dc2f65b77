#!/usr/bin/env python3
"""Tunes a parameter of a bot with Optuna: by default the width of the bundled bot nrpa.

Each trial is a suite of the same boards in random order. Its games come in as lines of JSON, and a trial that is
worse than the best one so far by Wilcoxon's test on the boards that both have played is stopped. The study is kept
in SQLite: started again, it goes on.
"""

import argparse
import json
import shlex
import shutil
import subprocess
import sys

import optuna


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--referee", default="referee", help="the referee's program")
    parser.add_argument(
        "--bot",
        default="@nrpa --first 0.2 --later 0 --width {width}",
        help="the bot's command line, with {width} in it",
    )
    parser.add_argument("--least", type=int, default=5, help="the smallest width")
    parser.add_argument("--most", type=int, default=500, help="the largest width")
    parser.add_argument("--seeds", default="1..40", help="the boards, as for `referee suite --seed`")
    parser.add_argument("--trials", type=int, default=30, help="how many trials to add to the study")
    parser.add_argument("--study", default="tuning.db", help="the file that keeps the study")
    parser.add_argument("--runs", help="a folder that keeps the games of each trial as a run, for `referee report`")
    parser.add_argument("more", nargs="*", help="more arguments of `referee suite`, after --")
    return parser.parse_args()


def start_suite(arguments, number, width):
    """A suite that prints a line for each game as it ends."""
    command = shlex.split(arguments.referee) + ["suite", "--bot", arguments.bot, "--param", f"width={width}"]
    kept = ["--run", f"{arguments.runs}/{number:04}"] if arguments.runs else ["--run", "none"]
    # A width with which the bot loses each game is a result too.
    command += ["--seed", arguments.seeds, *kept, "--keep-going", "--format", "jsonl", *arguments.more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def why_early(suite, summary):
    """Why a suite has played fewer games than planned, such as a bot that cannot start."""
    not_played = summary["not_played"] if summary else []
    reasons = [game["why"] for game in not_played] + [suite.stderr.read().strip()]
    return "; ".join(reason for reason in reasons if reason)


def evaluate(trial, arguments):
    """The mean score over all boards."""
    width = trial.suggest_int("width", arguments.least, arguments.most, log=True)
    scores, summary = [], None
    with start_suite(arguments, trial.number, width) as suite:
        try:
            for line in suite.stdout:
                game = json.loads(line)
                if game["type"] == "summary":
                    summary = game
                    break
                score = game["score"] if game["won"] else 0
                scores.append(score)
                # The number of the game is its board's, by which trials are paired.
                trial.report(score, game["game"])
                if trial.should_prune():
                    raise optuna.TrialPruned
        finally:
            trial.set_user_attr("games", len(scores))
            suite.terminate()
        if summary is None or summary["games"] < summary["planned"]:
            raise RuntimeError(f"the suite ended early: {why_early(suite, summary)}")
    if summary["lost"] == len(scores):
        print(f"width {width}: no game was won: {summary['losses'][0]['why']}", file=sys.stderr)
    return sum(scores) / len(scores)


def play_trial(study, arguments):
    """Adds a trial to the study; one that fails is kept as failed."""
    trial = study.ask()
    try:
        score = evaluate(trial, arguments)
    except optuna.TrialPruned:
        study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        print(f"width {trial.params['width']}: stopped after {trial.user_attrs['games']} boards")
    except BaseException:
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
        raise
    else:
        study.tell(trial, score)
        print(f"width {trial.params['width']}: mean score {score:.1f}")


def main():
    arguments = parse_arguments()
    program = shlex.split(arguments.referee)[0]
    if shutil.which(program) is None:
        sys.exit(f"tune.py: cannot find the program {program}; name it with --referee")
    study = optuna.create_study(
        study_name="width",
        storage=f"sqlite:///{arguments.study}",
        load_if_exists=True,
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=1),
        pruner=optuna.pruners.WilcoxonPruner(p_threshold=0.1),
    )
    for _ in range(arguments.trials):
        try:
            play_trial(study, arguments)
        except RuntimeError as error:
            sys.exit(f"tune.py: {error}")
    first, _, last = arguments.seeds.partition("..")
    boards = int(last or first) - int(first) + 1
    pruned = study.get_trials(states=[optuna.trial.TrialState.PRUNED])
    played = sum(trial.user_attrs.get("games", 0) for trial in study.trials)
    print(f"best width: {study.best_params['width']}, mean score {study.best_value:.1f}")
    print(f"{len(study.trials)} trials, {len(pruned)} of them stopped early")
    print(f"{played} games played, {len(study.trials) * boards - played} saved")


if __name__ == "__main__":
    sys.exit(main())
