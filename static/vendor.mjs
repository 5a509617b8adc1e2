// Copies what the browser needs of node_modules into static/vendor, which the binary embeds. npm runs it after
// every install. With --omit=dev there is no axe-core, and none is copied: only the browser tests read it.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "..", "node_modules");
const vendor = join(here, "vendor");

mkdirSync(vendor, { recursive: true });
copyFileSync(join(modules, "htmx.org", "dist", "htmx.min.js"), join(vendor, "htmx.min.js"));
