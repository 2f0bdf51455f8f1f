/** What V8 made of each module once: without it, half of the time that a process of the service takes to start. */
export const COMPILE_CACHE = new URL("../../node_modules/.cache/compile", import.meta.url).pathname;

/** What a process under test has of this one's environment: where programs are, and none of its settings. */
export const inherited = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: COMPILE_CACHE,
};
