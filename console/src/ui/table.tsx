import {
  memo,
  useEffect,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from "react";
import { useLocation } from "wouter";
import { useTexts } from "../app/language.ts";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { UI_TEXTS } from "./texts.ts";

export interface Column<Row> {
  readonly name: string;
  readonly label: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand at the right. */
  readonly align?: "end";
  /** In rem, such as `6rem`; without one, columns share the rest. */
  readonly width?: `${number}rem`;
  /** Left out on screens narrower than this. */
  readonly from?: "sm" | "lg" | "xl";
  /** It holds a control: the row's link is in the next column. */
  readonly isControl?: true;
  /** It stays in view at the end while the table scrolls sideways. */
  readonly isSticky?: true;
}

interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

interface TableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string | number;
  /** Where a row leads; its first cell without a control is the link. */
  readonly href?: (row: Row) => string;
  readonly isMarked?: (row: Row) => boolean;
  /** Called when the end of the rows comes into view. */
  readonly onEnd?: () => void;
  /** Instead of rows, if there are none. */
  readonly empty?: ReactNode;
  readonly foot?: ReactNode;
  /** A list that is read in pages: the foot reads its next one. */
  readonly more?: Paged;
  /** It is at most as high as the page, and scrolls by itself. */
  readonly fills?: boolean;
}

const ROW_PX = 32;
/** Rows outside the window that are drawn, so that fast scrolling shows no gap. */
const SPARE_ROWS = 12;
/** Below this, all rows are drawn: the browser's search finds them. A phone takes seconds for it. */
const DRAWN_WHOLE = 300;
const DRAWN_WHOLE_ON_PHONES = 40;
const PHONE_PX = 640;
/** The rows of a screen, which are drawn before the others. */
const DRAWN_FIRST = 30;
/** A phone draws so many in less than 50 ms. */
const DRAWN_AT_ONCE = 2;
const SLICE_PAUSE_MS = 8;
const SKELETON_ROWS = 8;
const FROM = { sm: "max-sm:hidden", lg: "max-lg:hidden", xl: "max-xl:hidden" };

/** A table scrolls sideways before a column that shares the rest is narrower. */
const LEAST_SHARED_REM = 8;

/** The least width of a table on each size of screen, by the columns that it shows there. */
function leastWidths<Row>(columns: readonly Column<Row>[]): Readonly<Record<string, string>> {
  const least = (...shown: readonly Column<Row>["from"][]): string => {
    const widths = columns.map(({ width, from }) => {
      if (from !== undefined && !shown.includes(from)) return 0;
      return width === undefined ? LEAST_SHARED_REM : Number.parseFloat(width);
    });
    return `${widths.reduce((sum, each) => sum + each, 0)}rem`;
  };
  return {
    "--least": least(),
    "--least-sm": least("sm"),
    "--least-lg": least("sm", "lg"),
    "--least-xl": least("sm", "lg", "xl"),
  };
}

/** A dense table. Of many rows it draws those in view. `j` and `k` move, Enter opens. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, href, isMarked, onEnd, empty, fills = false, more } = props;
  const foot = more?.hasNextPage === true ? <MoreButton pages={more} /> : props.foot;
  const box = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  const { first, end } = useRowsInView(box, rows?.length ?? 0, onEnd);
  if (rows?.length === 0 && empty !== undefined) return empty;

  const body = rows?.slice(first, end);
  return (
    <div
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={label}
      onKeyDown={moveBetweenRows}
      className={classes(
        "border-line bg-surface rounded-md border",
        fills ? "min-h-17 shrink! overflow-auto" : "shrink-0 overflow-x-auto",
      )}
    >
      <table
        className="w-full min-w-(--least) table-fixed border-separate border-spacing-0 text-sm sm:min-w-(--least-sm) lg:min-w-(--least-lg) xl:min-w-(--least-xl)"
        style={leastWidths(columns) as CSSProperties}
        aria-rowcount={rows?.length}
      >
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th
                key={column.name}
                scope="col"
                style={{ width: column.width }}
                className={classes(
                  "border-line bg-surface text-muted sticky top-0 z-10 h-8 truncate border-b px-2 text-xs font-medium",
                  column.align === "end" ? "text-right" : "text-left",
                  column.from && FROM[column.from],
                  isAfterFigures(columns, at) && "pl-5",
                  column.isSticky && "right-0",
                )}
              >
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Space rows={first} />}
          {body === undefined && <Skeleton columns={columns} />}
          {body?.map((row) => (
            <TableRow
              key={rowKey(row)}
              row={row}
              columns={columns as readonly Column<unknown>[]}
              href={href?.(row)}
              onOpen={navigate}
              isMarked={isMarked?.(row) === true}
            />
          ))}
          {rows !== undefined && end < rows.length && <Space rows={rows.length - end} />}
        </tbody>
      </table>
      {foot !== undefined && (
        <div className="text-muted flex justify-center p-2 text-xs">{foot}</div>
      )}
    </div>
  );
}

function MoreButton({ pages }: { readonly pages: Paged }) {
  const { more } = useTexts(UI_TEXTS);
  return (
    <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      {more}
    </Button>
  );
}

/** A row that stays in view while the table scrolls is not drawn again. */
const TableRow = memo(function TableRow({
  row,
  columns,
  href,
  onOpen,
  isMarked,
}: {
  readonly row: unknown;
  readonly columns: readonly Column<unknown>[];
  readonly href: string | undefined;
  /** Of the table: a row that follows the address by itself is slower to draw. */
  readonly onOpen: (href: string) => void;
  readonly isMarked: boolean;
}) {
  const linkAt = columns.findIndex(({ isControl }) => isControl !== true);
  return (
    <tr
      data-row
      tabIndex={href === undefined ? undefined : -1}
      onClick={
        href === undefined
          ? undefined
          : (event) => {
              if (!(event.target as Element).closest("a, button, input, select, label"))
                onOpen(href);
            }
      }
      className={classes(
        "h-8 outline-offset-[-2px]",
        href !== undefined && "cursor-pointer",
        isMarked ? "bg-accent-soft" : "hover:bg-hover",
      )}
    >
      {columns.map((column, at) => (
        <td
          key={column.name}
          className={classes(
            "border-line h-8 truncate border-b px-2",
            column.align === "end" && "figures text-right",
            column.from && FROM[column.from],
            isAfterFigures(columns, at) && "pl-5",
            column.isSticky && "bg-surface sticky right-0",
          )}
        >
          {at === linkAt && href !== undefined ? (
            <a
              href={href}
              className="hover:text-accent font-medium"
              onClick={(event) => {
                if (!isPlain(event)) return;
                event.preventDefault();
                onOpen(href);
              }}
            >
              {column.cell(row)}
            </a>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
});

/** Others open a tab or a window, or are the browser's. */
function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
}

/** Words need a gap to the figures at their left, which end there. */
function isAfterFigures(columns: readonly Pick<Column<never>, "align">[], at: number): boolean {
  return columns[at - 1]?.align === "end" && columns[at]?.align !== "end";
}

function Space({ rows }: { readonly rows: number }) {
  return <tr aria-hidden style={{ height: rows * ROW_PX }} />;
}

function Skeleton({
  columns,
}: {
  readonly columns: readonly Pick<Column<never>, "name" | "from">[];
}) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    <tr key={row} className="h-8" aria-hidden>
      {columns.map(({ name, from }) => (
        <td key={name} className={classes("border-line border-b px-2", from && FROM[from])}>
          <div className="skeleton h-3 w-2/3" />
        </td>
      ))}
    </tr>
  ));
}

/** The rows to draw, by the place of the box that scrolls: itself or the page. */
function useRowsInView(
  box: React.RefObject<HTMLDivElement | null>,
  rows: number,
  onEnd: (() => void) | undefined,
): { readonly first: number; readonly end: number } {
  const [view, setView] = useState({ first: 0, end: 100 });
  const isWhole = rows <= (innerWidth < PHONE_PX ? DRAWN_WHOLE_ON_PHONES : DRAWN_WHOLE);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = (): void => {
      const { scrollTop, clientHeight, scrollHeight } = element;
      const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - SPARE_ROWS);
      const end = Math.ceil((scrollTop + clientHeight) / ROW_PX) + SPARE_ROWS;
      setView((before) => (before.first === first && before.end === end ? before : { first, end }));
      if (scrollHeight - scrollTop - clientHeight < clientHeight) onEnd?.();
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      resized.disconnect();
    };
  }, [box, rows, onEnd]);
  const [drawn, setDrawn] = useState(DRAWN_FIRST);
  // In slices: a key or a click is heard between two of them.
  useEffect(() => {
    if (!isWhole || drawn >= rows) return;
    const next = setTimeout(() => setDrawn(drawn + DRAWN_AT_ONCE), SLICE_PAUSE_MS);
    return () => clearTimeout(next);
  }, [isWhole, drawn, rows]);
  if (isWhole) return { first: 0, end: Math.min(rows, drawn) };
  return { first: Math.min(view.first, rows), end: Math.min(view.end, rows) };
}

function moveBetweenRows(event: KeyboardEvent<HTMLDivElement>): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea"))
    return;
  const isDown = event.key === "j" || event.key === "ArrowDown";
  const isUp = event.key === "k" || event.key === "ArrowUp";
  const row = target.closest<HTMLElement>("[data-row]");
  if (event.key === "Enter" && row === target) {
    row.click();
    return;
  }
  if (!isDown && !isUp) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const next = all[row === null ? 0 : all.indexOf(row) + (isDown ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.tabIndex = -1;
  next.focus();
}
