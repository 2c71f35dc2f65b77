// Two bots that the reader ticks, compared: the page has the verdict on each pair that shares boards.

const pairs = JSON.parse(document.getElementById("pairs").textContent);
const told = document.getElementById("compared");
const picked = [];

/** Says what is known of the two that are ticked, or what to tick. */
function tell() {
  told.replaceChildren();
  if (picked.length < 2) {
    told.append(picked.length === 1 ? "Tick another one to compare the two." : "Tick two bots to compare them.");
    return;
  }
  const pair = pairs[picked.map((box) => box.value).sort().join(" ")];
  told.append(pair ? pair.told : "The two share no boards.");
  if (pair) {
    const command = document.createElement("code");
    command.textContent = pair.command;
    told.append(document.createElement("br"), command);
  }
}

for (const row of document.querySelectorAll("tr[data-entry]")) {
  const box = document.createElement("input");
  Object.assign(box, { type: "checkbox", value: row.dataset.entry, ariaLabel: `Compare ${row.dataset.name}` });
  row.querySelector("th").prepend(box, " ");
  box.addEventListener("change", () => {
    const at = picked.indexOf(box);
    if (at >= 0) picked.splice(at, 1);
    if (box.checked) picked.push(box);
    if (picked.length > 2) picked.shift().checked = false;
    tell();
  });
}
told.hidden = false;
tell();

// A page that is kept up to date is loaded again, unless the reader is about to compare two bots.
const every = Number(told.dataset.every);
if (every > 0) setInterval(() => { if (picked.length === 0) location.reload(); }, 1000 * every);
