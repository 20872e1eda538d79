import type { ReactNode } from "react";

/** What narrows a list. On a phone, the fields fill the width, two in a row if they are short. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <search className="flex flex-wrap items-center gap-2 max-sm:*:min-w-36 max-sm:*:flex-1 max-sm:[&>:is(label,span)]:basis-full">
      {children}
    </search>
  );
}
