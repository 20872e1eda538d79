import type { ReactNode } from "react";
import type { Equal } from "../api/curl.ts";
import { CreateButton } from "../ui/create-button.tsx";
import { Page } from "../ui/page.tsx";
import { isAtLeast } from "./pages.ts";
import { useUser } from "./user.tsx";

interface ListPageProps {
  readonly title: string;
  readonly equal: Equal;
  readonly command: string;
  /** The label of the button by which admins add an object. */
  readonly create: string;
  readonly onCreate: () => void;
  readonly children: ReactNode;
}

/** The page of a list that auditors see, and admins add to. */
export function ListPage({ create, onCreate, children, ...frame }: ListPageProps) {
  const mayCreate = isAtLeast(useUser().role, "admin");
  return (
    <Page
      {...frame}
      actions={mayCreate && <CreateButton onClick={onCreate}>{create}</CreateButton>}
    >
      {children}
    </Page>
  );
}
