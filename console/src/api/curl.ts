export interface Equal {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

/** The command that asks the same of the gateway. Its access token is named, never shown. */
export function curlOf({ method = "GET", path, query = {}, body }: Equal): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  const url = `${location.origin}${path}${search.size === 0 ? "" : `?${search}`}`;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    '-H "Authorization: Bearer $SLUICE_TOKEN"',
    ...(body === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
