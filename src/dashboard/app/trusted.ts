/** As far as it is used here; not every browser has it, nor do the types. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}
declare global {
  interface Window {
    readonly trustedTypes?: TrustedTypes;
  }
}

const ours = (url: string): string => {
  if (new URL(url, location.href).origin === location.origin) return url;
  throw new TypeError(`a script of another origin: ${url}`);
};
const policy = window.trustedTypes?.createPolicy("dashboard", { createScriptURL: ours });

/** The address of a script of ours, as the page's policy wants it. */
export const trustedScript = (url: string): string => policy?.createScriptURL(url) ?? ours(url);
