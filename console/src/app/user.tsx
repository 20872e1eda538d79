import { createContext, use } from "react";
import type { Schemas } from "../api/client.ts";

export type User = Schemas["User"];

const UserContext = createContext<User | undefined>(undefined);
export const UserProvider = UserContext.Provider;

/** The user who is logged in. */
export function useUser(): User {
  const user = use(UserContext);
  if (user === undefined) throw new Error("useUser is used outside of the shell");
  return user;
}
