import { keepPreviousData } from "@tanstack/react-query";
import { hooks } from "../../api/client.ts";
import { PATHS, type Report, type Scope } from "./report.ts";

/** A report of usage. The last figures stay in place until those of another choice arrive. */
export function useReport(scope: Scope, query: Readonly<Record<string, string | number>>) {
  const { data, error, refetch } = hooks.useQuery(
    "get",
    PATHS[scope] as "/api/usage",
    { params: { query } },
    { placeholderData: keepPreviousData },
  );
  // The path also answers as CSV, which is a text.
  const report: Report | undefined = typeof data === "object" ? data.data : undefined;
  return { report, error, refetch };
}
