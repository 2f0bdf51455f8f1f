import type { ErrorComponentProps } from "@tanstack/react-router";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";

/** A mistake of the dashboard's own: the rest of it goes on. */
export const Broken = ({ error, reset }: ErrorComponentProps) => (
  <Page title="This page is broken">
    <p role="alert">
      It is a mistake of the dashboard, not of yours:{" "}
      <code>{error instanceof Error ? error.message : String(error)}</code>
    </p>
    <p>
      <Button onClick={reset}>Try again</Button>
    </p>
  </Page>
);
