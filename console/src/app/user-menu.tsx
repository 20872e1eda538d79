import { useQueryClient } from "@tanstack/react-query";
import { ChevronsUpDown, LogOut, UserRound } from "lucide-react";
import { useId } from "react";
import { Link, useLocation } from "wouter";
import { hooks } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { useTexts } from "./language.ts";
import { Preferences } from "./preferences.tsx";
import { SHELL_TEXTS } from "./texts.ts";
import { useUser } from "./user.tsx";

/** Account, language, theme and the way out. */
export function UserMenu() {
  const t = useTexts(SHELL_TEXTS);
  const user = useUser();
  const menu = useId();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const logout = hooks.useMutation("post", "/api/user/logout", {
    onSuccess() {
      // Nothing of this user may show to the next one.
      client.clear();
      navigate("/login");
    },
  });
  return (
    <>
      <button
        type="button"
        popoverTarget={menu}
        className="hover:bg-hover flex h-10 w-full items-center gap-2 rounded-md px-2 text-left text-sm"
        style={{ anchorName: "--user-menu" } as React.CSSProperties}
      >
        <UserRound size={16} aria-hidden />
        <span translate="no" className="min-w-0 flex-1 truncate">
          {user.display_name || user.username}
        </span>
        <ChevronsUpDown size={14} aria-hidden className="text-muted" />
      </button>
      <div
        id={menu}
        popover="auto"
        className="border-line bg-raised text-ink m-0 w-64 rounded-md border p-3 shadow-xl"
        style={
          {
            positionAnchor: "--user-menu",
            inset: "auto",
            bottom: "anchor(top)",
            left: "anchor(left)",
          } as React.CSSProperties
        }
      >
        <div className="flex flex-col gap-3">
          <p translate="no" className="text-sm">
            <span className="block truncate font-medium">{user.email ?? user.username}</span>
            <span className="text-muted">{user.role}</span>
          </p>
          <Preferences />
          <p className="flex gap-4">
            <Link
              href="/account"
              className="text-accent inline-flex min-h-6 items-center text-sm hover:underline"
            >
              {t.account}
            </Link>
            <Link
              href="/about"
              className="text-accent inline-flex min-h-6 items-center text-sm hover:underline"
            >
              {t.pages.about}
            </Link>
          </p>
          <Button
            icon={<LogOut size={14} />}
            busy={logout.isPending}
            onClick={() => logout.mutate({})}
          >
            {t.logout}
          </Button>
        </div>
      </div>
    </>
  );
}
