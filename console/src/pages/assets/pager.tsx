import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { count } from "../../ui/format.ts";
import { useQueryState } from "../../ui/query-state.ts";
import { pageIn, PAGE_SIZE } from "./asset.ts";
import { ASSET_TEXTS } from "./texts.ts";

/** To the pages before and after, and the number of items on all of them. */
export function Pager({ total }: { readonly total: number | undefined }) {
  const t = useTexts(ASSET_TEXTS);
  const [params, setParams] = useQueryState();
  const page = pageIn(params);
  if (total === undefined || total === 0) return null;
  const to = (next: number): void => setParams({ p: next === 1 ? undefined : String(next) });
  return (
    <div className="text-muted flex items-center justify-end gap-2 text-xs">
      <span className="figures">{t.total(count(total))}</span>
      {total > PAGE_SIZE && (
        <>
          <Button disabled={page === 1} onClick={() => to(page - 1)}>
            {t.previous}
          </Button>
          <Button disabled={page * PAGE_SIZE >= total} onClick={() => to(page + 1)}>
            {t.next}
          </Button>
        </>
      )}
    </div>
  );
}
