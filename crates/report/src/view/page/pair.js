// What only two games side by side have: their scores against each other, a switch between the boards on a
// screen too narrow for both, and charts laid over each other.

class Pair {
  constructor(views) {
    this.views = views;
    this.buttons = [...document.querySelectorAll("#switch button")];
    this.buttons.forEach((button, index) => {
      find(".name", button).textContent = views[index].film.bot;
      button.addEventListener("click", () => this.choose(index));
    });
    find("#overlay").addEventListener("change", (event) => document.body.classList.toggle("overlay", event.target.checked));
    this.choose(0);
  }

  /** Chooses the game to show on a screen too narrow for both. */
  choose(chosen) {
    this.views.forEach((view, index) => view.root.classList.toggle("aside", index !== chosen));
    this.buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === chosen)));
  }

  /** Shows both scores, the better one with its lead. */
  tell() {
    const scores = this.views.map((view) => view.score);
    this.views.forEach((view, index) => {
      const ahead = Number(((scores[index] - scores[1 - index]) * (view.film.lower ? -1 : 1)).toPrecision(12));
      for (const box of [find(".standing", view.root), find(".standing", this.buttons[index])]) {
        box.textContent = scores[index];
        if (ahead > 0) box.append(" ", element("small", "", `+${ahead}`));
      }
    });
  }
}
