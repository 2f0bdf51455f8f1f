import { z } from "zod";
import type { Connection } from "./connection.ts";

const encoder = new TextEncoder();

export const insertMark = (connection: Connection, id: string): Promise<void> =>
  connection.insert({
    table: "marks",
    columns: ["id"],
    settings: () => ({}),
    format: "TabSeparated",
    body: [encoder.encode(`${id}\n`)],
  });

export const hasMark = async (connection: Connection, id: string): Promise<boolean> => {
  const rows = await connection.select(
    z.tuple([z.string()]),
    "SELECT id FROM marks WHERE id = {id:String} LIMIT 1",
    {
      id,
    },
  );
  return rows.length > 0;
};
