import "./app/no-eval.ts";
import "./style/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { eventFollower, fillGaps } from "./app/follow-events.ts";
import { hideWhatIsLeft } from "./app/left.ts";
import { live, startLive } from "./app/live.ts";
import { lookWho } from "./app/look-who.ts";
import { queryClient } from "./app/query-client.ts";
import { router } from "./app/router.tsx";
import { isSignedOut } from "./app/signed-out.ts";
import { Unreachable } from "./parts/unreachable.tsx";

const element = document.getElementById("app");
if (element === null) throw new Error("the page has no place for the dashboard");
const root = createRoot(element);

const signIn = (): void => {
  const { pathname, search } = location;
  location.replace(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
};

const start = async (): Promise<void> => {
  try {
    await lookWho();
  } catch (error) {
    if (isSignedOut(error)) return signIn();
    root.render(<Unreachable error={error} retry={() => void start()} />);
    return;
  }
  live.onEvent(eventFollower(queryClient));
  fillGaps(queryClient);
  startLive();
  hideWhatIsLeft(() => root.unmount());
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
};
void start();
