import { BookText, Menu, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { Button, IconButton } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Empty, Page } from "../ui/page.tsx";
import { UI_TEXTS } from "../ui/texts.ts";
import { Boundary } from "./boundary.tsx";
import { useLanguage, useTexts } from "./language.ts";
import { Mark } from "./mark.tsx";
import { isShownTo, PAGES, type PageEntry } from "./pages.ts";
import { useShortcuts } from "./shortcuts.ts";
import { SHELL_TEXTS } from "./texts.ts";
import { UserMenu } from "./user-menu.tsx";
import { useUser } from "./user.tsx";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const Keyboard = lazy(async () => ({ default: (await import("./keyboard.tsx")).Keyboard }));

const Account = lazy(async () => ({
  default: (await import("../pages/account/account.tsx")).Page,
}));

const About = lazy(async () => ({ default: (await import("../pages/about/about.tsx")).Page }));

const GROUPS = ["see", "give", "run", "try"] as const;

/** The frame around all pages: menu, search and the user's own menu. */
export function Shell() {
  const t = useTexts(SHELL_TEXTS);
  const ui = useTexts(UI_TEXTS);
  const manual = useLanguage() === "zh" ? "/docs/zh" : "/docs";
  const user = useUser();
  const pages = PAGES.filter((page) => isShownTo(user, page));
  const [over, setOver] = useState<"palette" | "keyboard">();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [path, navigate] = useLocation();
  useShortcuts(pages, { navigate, open: setOver });
  useEffect(() => setMenuOpen(false), [path]);

  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="bg-accent text-on-accent sr-only rounded-md px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
      >
        {t.skip}
      </a>
      <div className="border-line bg-surface flex shrink-0 items-center gap-1 border-b px-2 py-1 md:hidden">
        <IconButton
          label={t.menu}
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Menu size={18} />
        </IconButton>
        <Brand />
        <IconButton label={t.search} className="ml-auto" onClick={() => setOver("palette")}>
          <Search size={18} />
        </IconButton>
      </div>
      <nav
        aria-label={t.menu}
        className={classes(
          "border-line bg-surface shrink-0 flex-col gap-3 overflow-y-auto border-r p-2 md:flex md:w-52",
          isMenuOpen ? "flex max-md:max-h-[70dvh] max-md:border-b" : "max-md:hidden",
        )}
      >
        <div className="flex items-center px-2 pt-1 max-md:hidden">
          <Brand />
        </div>
        <Button
          icon={<Search size={14} />}
          onClick={() => setOver("palette")}
          className="text-muted w-full justify-start max-md:hidden"
        >
          <span className="flex-1 truncate text-left">{t.search}</span>
          <kbd className="font-sans text-xs">Ctrl K</kbd>
        </Button>
        {GROUPS.map((group) => (
          <MenuGroup
            key={group}
            name={t.groups[group]}
            pages={pages.filter((page) => page.group === group)}
          />
        ))}
        <div className="mt-auto">
          <a
            href={manual}
            className="text-ink hover:bg-hover flex h-8 items-center gap-2 rounded-md px-2 text-sm"
          >
            <BookText size={16} aria-hidden />
            <span className="truncate">{t.manual}</span>
          </a>
          <UserMenu />
        </div>
      </nav>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto">
        <Boundary resetKey={path}>
          <Suspense fallback={<main className="flex-1" aria-busy="true" />}>
            <Switch>
              {pages.map(({ path: at, Page: Content }) => (
                <Route key={at} path={at === "/" ? "/" : `${at}/*?`}>
                  <Content />
                </Route>
              ))}
              <Route path="/account">
                <Account />
              </Route>
              <Route path="/about">
                <About />
              </Route>
              {PAGES.filter((page) => !pages.includes(page)).map(({ path: at, name }) => (
                <Route key={at} path={`${at}/*?`}>
                  <Page title={t.pages[name]}>
                    <Empty title={ui.forbidden}>{ui.forbiddenHint}</Empty>
                  </Page>
                </Route>
              ))}
              <Route>
                <Page title={t.notFound}>
                  <Empty title={t.notFound}>
                    <Link href="/" className="text-accent underline">
                      {t.home}
                    </Link>
                  </Empty>
                </Page>
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </div>
      <Suspense>
        {over === "palette" && <Palette pages={pages} onClose={() => setOver(undefined)} />}
        {over === "keyboard" && <Keyboard onClose={() => setOver(undefined)} />}
      </Suspense>
    </div>
  );
}

function Brand() {
  return (
    <Link
      href="/"
      translate="no"
      className="flex items-center gap-2 text-lg font-semibold tracking-tight"
    >
      <Mark size={20} />
      Sluice
    </Link>
  );
}

function MenuGroup({
  name,
  pages,
}: {
  readonly name: string;
  readonly pages: readonly PageEntry[];
}) {
  const t = useTexts(SHELL_TEXTS);
  const [path] = useLocation();
  if (pages.length === 0) return null;
  return (
    <div>
      <p className="text-muted px-2 pb-1 text-xs font-medium">{name}</p>
      <ul>
        {pages.map((page) => {
          const isHere =
            page.path === "/"
              ? path === "/"
              : path === page.path || path.startsWith(`${page.path}/`);
          return (
            <li key={page.path}>
              <Link
                href={page.path}
                aria-current={isHere ? "page" : undefined}
                className={classes(
                  "flex h-8 items-center gap-2 rounded-md px-2 text-sm",
                  isHere ? "bg-accent-soft text-accent font-medium" : "text-ink hover:bg-hover",
                )}
              >
                <page.icon size={16} aria-hidden />
                <span className="truncate">{t.pages[page.name]}</span>
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
