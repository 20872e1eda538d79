import {
  BellRing,
  BookOpen,
  ChartColumnStacked,
  Boxes,
  Clapperboard,
  FlaskConical,
  House,
  Images,
  KeyRound,
  Layers,
  MailPlus,
  Network,
  type LucideIcon,
  ScrollText,
  Settings,
  ShieldCheck,
  UserRound,
  UsersRound,
} from "lucide-react";
import { lazy, type ComponentType } from "react";
import type { SHELL_TEXTS } from "./texts.ts";

export type Role = "user" | "auditor" | "admin" | "root";

const RANK: Record<Role, number> = { user: 0, auditor: 1, admin: 2, root: 3 };

export function isAtLeast(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}

/** Whether a page is in the menu of this user. */
export function isShownTo(
  user: { readonly role: Role; readonly team_role: "member" | "owner" | null },
  { role, alsoTeamOwners }: PageEntry,
): boolean {
  return isAtLeast(user.role, role) || (alsoTeamOwners === true && user.team_role === "owner");
}

export interface PageEntry {
  readonly path: string;
  readonly name: keyof typeof SHELL_TEXTS.en.pages;
  readonly group: keyof typeof SHELL_TEXTS.en.groups;
  readonly icon: LucideIcon;
  /** The lowest role that sees it. */
  readonly role: Role;
  /** Owners of a team see it, too: the part that concerns their team. */
  readonly alsoTeamOwners?: true;
  /** The second key after `g`. */
  readonly key?: string;
  readonly Page: LoadedPage;
}

type LoadedPage = ComponentType & { readonly load: () => Promise<unknown> };

function page(load: () => Promise<{ readonly Page: ComponentType }>): LoadedPage {
  return Object.assign(
    lazy(async () => ({ default: (await load()).Page })),
    { load },
  );
}

/** All pages in the order of the menu. A page is loaded when it is opened. */
export const PAGES: readonly PageEntry[] = [
  {
    path: "/",
    name: "home",
    group: "see",
    icon: House,
    role: "user",
    key: "h",
    Page: page(() => import("../pages/home/home.tsx")),
  },
  {
    path: "/logs",
    name: "logs",
    group: "see",
    icon: ScrollText,
    role: "user",
    key: "l",
    Page: page(() => import("../pages/logs/logs.tsx")),
  },
  {
    path: "/usage",
    name: "usage",
    group: "see",
    icon: ChartColumnStacked,
    role: "user",
    key: "u",
    Page: page(() => import("../pages/usage/usage.tsx")),
  },
  {
    path: "/tasks",
    name: "tasks",
    group: "see",
    icon: Clapperboard,
    role: "user",
    key: "t",
    Page: page(() => import("../pages/tasks/tasks.tsx")),
  },
  {
    path: "/assets",
    name: "assets",
    group: "see",
    icon: Images,
    role: "user",
    Page: page(() => import("../pages/assets/assets.tsx")),
  },
  {
    path: "/keys",
    name: "keys",
    group: "give",
    icon: KeyRound,
    role: "user",
    key: "k",
    Page: page(() => import("../pages/keys/keys.tsx")),
  },
  {
    path: "/users",
    name: "users",
    group: "give",
    icon: UserRound,
    role: "auditor",
    key: "w",
    Page: page(() => import("../pages/users/users.tsx")),
  },
  {
    path: "/teams",
    name: "teams",
    group: "give",
    icon: UsersRound,
    role: "auditor",
    alsoTeamOwners: true,
    Page: page(() => import("../pages/teams/teams.tsx")),
  },
  {
    path: "/groups",
    name: "groups",
    group: "give",
    icon: Layers,
    role: "auditor",
    Page: page(() => import("../pages/groups/groups.tsx")),
  },
  {
    path: "/invitations",
    name: "invitations",
    group: "give",
    icon: MailPlus,
    role: "admin",
    alsoTeamOwners: true,
    Page: page(() => import("../pages/invitations/invitations.tsx")),
  },
  {
    path: "/channels",
    name: "channels",
    group: "run",
    icon: Network,
    role: "auditor",
    key: "c",
    Page: page(() => import("../pages/channels/channels.tsx")),
  },
  {
    path: "/models",
    name: "models",
    group: "run",
    icon: Boxes,
    role: "auditor",
    key: "m",
    Page: page(() => import("../pages/models/models.tsx")),
  },
  {
    path: "/alerts",
    name: "alerts",
    group: "run",
    icon: BellRing,
    role: "auditor",
    key: "a",
    Page: page(() => import("../pages/alerts/alerts.tsx")),
  },
  {
    path: "/audit",
    name: "audit",
    group: "run",
    icon: ShieldCheck,
    role: "auditor",
    Page: page(() => import("../pages/audit/audit.tsx")),
  },
  {
    path: "/settings",
    name: "settings",
    group: "run",
    icon: Settings,
    role: "admin",
    key: "s",
    Page: page(() => import("../pages/settings/settings.tsx")),
  },
  {
    path: "/playground",
    name: "playground",
    group: "try",
    icon: FlaskConical,
    role: "user",
    key: "p",
    Page: page(() => import("../pages/playground/playground.tsx")),
  },
  {
    path: "/docs/api",
    name: "docs",
    group: "try",
    icon: BookOpen,
    role: "user",
    key: "d",
    Page: page(() => import("../pages/docs/docs.tsx")),
  },
];

/** Begins to load the page at a path, before it is known who asks for it. */
export function preloadPage(path: string): void {
  const entry = PAGES.find((each) => each.path === path || path.startsWith(`${each.path}/`));
  // If it fails, the page itself says so when it is drawn.
  entry?.Page.load().catch(() => undefined);
}
