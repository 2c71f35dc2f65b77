// A browser for many checks: prints its address, and closes it at the end of standard input.
import { chromium } from "playwright-core";
import { OPTIONS } from "./browser.mjs";

const server = await chromium.launchServer(OPTIONS);
console.log(server.wsEndpoint());
process.stdin.resume().on("end", () => server.close());
