import type { Page } from "playwright-core";
import type { z } from "zod";

/** Calls the API as a script of the page would: as whoever is signed in there. */
export const calledFrom = async <T>(
  page: Page,
  shape: z.ZodType<T>,
  method: string,
  path: string,
  body?: object,
): Promise<T> => {
  const answered = await page.evaluate(
    async ([how, to, text]) => {
      const content = text ? { headers: { "content-type": "application/json" }, body: text } : {};
      const response = await fetch(to ?? "", { method: how ?? "GET", ...content });
      return response.text();
    },
    [method, path, body === undefined ? "" : JSON.stringify(body)],
  );
  return shape.parse(JSON.parse(answered));
};
