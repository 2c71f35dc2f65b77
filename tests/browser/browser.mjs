// A page open from disk in a real browser, which may be that of `server.mjs`, watched for everything that must not happen.
import { chromium } from "playwright-core";

export const OPTIONS = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
};

/** Opens `url`, lets `check` look at it, and throws if the page erred, asked or reached out. */
export async function withPage(url, options, check) {
  const address = process.env.BROWSER;
  const browser = await (address ? chromium.connect(address) : chromium.launch(OPTIONS));
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const faults = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
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
    await check(page);
    if (faults.length > 0) throw new Error(faults.join("\n"));
  } finally {
    await browser.close();
  }
}
