/** Where the budget of a key, a user or a team is changed. `user`: of a key of another user. */
export function budgetHref(
  of: "key" | "user" | "team",
  id: number | string,
  user?: number,
): string {
  if (of === "key") return user === undefined ? `/keys?key=${id}` : `/keys?user=${user}&key=${id}`;
  return of === "user" ? `/users?user=${id}` : `/teams?team=${id}&edit=1`;
}
