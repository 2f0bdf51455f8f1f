import { whoIsSignedIn } from "../api/whose.ts";
import { ToldValue } from "./told-value.ts";

/** Whether another page is shown in place of this one, which the browser keeps as it is for whoever goes back to it. */
export const isLeft = new ToldValue(false);

const show = (isShown: boolean): void => {
  document.documentElement.style.visibility = isShown ? "" : "hidden";
};

/**
 * Whoever goes back may be somebody else, after a sign-out: nothing is to be read until the service has said that it is
 * who it was. Where it does not, `empty` takes everything off the page, and the page begins anew.
 */
export const hideWhatIsLeft = (empty: () => void): void => {
  const goOn = () => {
    isLeft.set(false);
    show(true);
  };
  const beginAnew = () => {
    empty();
    location.reload();
  };
  addEventListener("pagehide", ({ persisted }) => {
    if (!persisted) return;
    show(false);
    isLeft.set(true);
  });
  addEventListener("pageshow", ({ persisted }) => {
    // Not by what is kept of an answer, which may be of before.
    if (persisted) void whoIsSignedIn().then(goOn, beginAnew);
  });
};
