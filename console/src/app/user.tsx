import { createContext, use } from "react";
import type { Schemas } from "../api/client.ts";
import { moneyIn } from "../ui/format.ts";

export type User = Schemas["Self"];

const UserContext = createContext<User | undefined>(undefined);
export const UserProvider = UserContext.Provider;

/** The user who is logged in. */
export function useUser(): User {
  const user = use(UserContext);
  if (user === undefined) throw new Error("useUser is used outside of the shell");
  return user;
}

/** Writes an amount of US dollars in the gateway's second currency; undefined if it has none. */
export function useDisplayMoney(): DisplayMoney | undefined {
  const { display } = useUser();
  if (display === null) return undefined;
  const rate = Number(display.rate);
  return {
    currency: display.currency,
    write: (usd) => moneyIn(display.currency, Number(usd) * rate),
  };
}

export interface DisplayMoney {
  readonly currency: string;
  write(usd: number | string): string;
}
