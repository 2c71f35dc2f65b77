// The games of the page: one or two, or the packed games of a run, of which the address names one or two.

/** The games that the address names. Two stand side by side if they are of the same board. */
function gamesOf(address) {
  const named = (key) => show.games.find((game) => game.id === address.get(key));
  const first = named("game") ?? show.games[0];
  const second = named("with");
  return second && second !== first && second.board === first.board ? [first, second] : [first];
}

async function unpack(game) {
  const packed = Uint8Array.from(atob(game.film), (letter) => letter.charCodeAt(0));
  const film = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return { ...await new Response(film).json(), bot: game.bot };
}

/** The best of the other games on the page of the board of a game that is shown alone; null if there is none. */
async function bestOther([film, other]) {
  if (!show.games || other) return null;
  const worth = ({ score }) => Number(score) * (film.lower ? -1 : 1);
  const isRival = (game) => game.board === chosen[0].board && game !== chosen[0] && (game.score ?? null) !== null;
  const [best] = show.games.filter(isRival).sort((one, two) => worth(two) - worth(one));
  return best ? new Film(await unpack(best)) : null;
}

/** The beginning of an address that names these games. */
const nameGames = (games) => games.map((game, index) => `${["game", "with"][index]}=${game.id}&`).join("");

/** The first position whose move differs between two games; null if there is none. */
function firstDifference([one, other]) {
  if (!other) return null;
  let at = 0;
  while (at < one.moves.length && one.moves[at].caption === other.moves[at]?.caption) at += 1;
  return at < Math.max(one.moves.length, other.moves.length) ? at : null;
}

/** Links to the report, and to other games of this board. */
function linkGames() {
  if (!show.games) return;
  const MANY = 12;
  const nav = find("#more");
  nav.hidden = false;
  const link = (words, address, parent = nav) => {
    const made = element("a", "", words);
    made.href = address;
    parent.append(made, " ");
  };
  const told = ({ bot, score }) => (score === undefined ? bot : `${bot}: ${score ?? "no score"}`);
  link("Report", show.report);
  if (chosen.length === 2) for (const game of chosen) link(`${told(game)}, alone`, `#${nameGames([game])}`);
  const others = show.games.filter((game) => game.board === chosen[0].board && !chosen.includes(game));
  for (const game of others.slice(0, MANY)) {
    const pair = element("span");
    link(told(game), `#${nameGames([game])}`, pair);
    link("beside", `#${nameGames([chosen[0], game])}`, pair);
    nav.append(pair);
  }
}

const chosen = show.games ? gamesOf(new URLSearchParams(location.hash.slice(1))) : [];
const films = (show.games ? await Promise.all(chosen.map(unpack)) : show.films).map((data) => new Film(data));
const rival = await bestOther(films);
const differs = firstDifference(films);
