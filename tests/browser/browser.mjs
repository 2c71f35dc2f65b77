// A page open from disk in a real browser, watched for everything that must not happen.
import { chromium } from "playwright-core";

/** The browser of this process, which takes longer to start than most checks. */
export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
});

/** Opens `url`, lets `check` look at it, and throws if the page erred, asked or reached out; returns what `check` does. */
export async function withPage(url, options, check) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    const faults = [];
    page.on("console", (message) => {
      faults.push(`console: ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on("popup", () => faults.push("a window was opened"));
    const file = new URL(url).pathname;
    page.on("request", (request) => {
      const asked = new URL(request.url());
      if (asked.protocol !== "data:" && asked.pathname !== file) faults.push(`request: ${asked}`);
    });
    await page.goto(url);
    const found = await check(page);
    if (faults.length > 0) throw new Error(faults.join("\n"));
    return found;
  } finally {
    await context.close();
  }
}
