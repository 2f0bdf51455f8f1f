import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compression } from "vite-plugin-compression2";

/** What the serve worker gives at `/`: files named by what is in them, so that browsers keep them for ever. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/",
  plugins: [react(), compression({ algorithms: ["gzip", "brotliCompress"], exclude: /\.html$/ })],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsDir: "dashboard",
    target: "es2023",
    // A data: URL in a style or a script is more than the policy allows.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    // What is set before any schema is made has to come first, whichever file each ends up in.
    rolldownOptions: {
      output: {
        strictExecutionOrder: true,
        // What every page begins with, in one answer instead of a dozen.
        codeSplitting: {
          groups: [
            {
              name: "base",
              test: /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|openapi-fetch|@tanstack\/(?!.*virtual)[\w-]+)\//,
            },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  server: { proxy: { "/v1": { target: "http://127.0.0.1:8080", ws: true } } },
});
