/** Where the budget of a key, a user or a team is changed. Of keys, only the own ones have a form. */
export function budgetHref(of: "key" | "user" | "team", id: number | string): string {
  if (of === "key") return `/keys?key=${id}`;
  return of === "user" ? `/users?user=${id}` : `/teams?team=${id}&edit=1`;
}
