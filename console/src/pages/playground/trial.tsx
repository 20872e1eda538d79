import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { askModel, type Facts } from "./model-client.ts";
import { neededKey } from "./playground-key.tsx";

interface Asked {
  readonly path: string;
  readonly body: unknown;
}

/** Asks a model endpoint once. `read`: what is kept of the answer. */
export function useTrial<Answer>(read: (response: Response) => Promise<Answer>) {
  return useMutation({
    // Shown beside the form.
    onError: () => undefined,
    mutationFn: async (asked: Asked) => {
      const { response, facts } = await askModel({ key: await neededKey(), ...asked });
      return { answer: await read(response), facts };
    },
  });
}

interface TrialProps {
  readonly title: string;
  /** The label of the button. */
  readonly action: string;
  readonly fields: ReactNode;
  readonly onSend: () => void;
  readonly trial: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly data: { readonly facts: Facts } | undefined;
  };
  readonly request: unknown;
  readonly raw: unknown;
  readonly children: ReactNode;
}

/** A form of one request, beside its answer. */
export function Trial({
  title,
  action,
  fields,
  onSend,
  trial,
  request,
  raw,
  children,
}: TrialProps) {
  return (
    <div className="flex flex-col gap-3 lg:flex-row">
      <form
        className="flex shrink-0 flex-col gap-3 lg:w-80"
        onSubmit={(event) => {
          event.preventDefault();
          onSend();
        }}
      >
        {fields}
        <Button type="submit" look="main" className="self-start" busy={trial.isPending}>
          {action}
        </Button>
      </form>
      <ExchangeView
        title={title}
        request={request}
        raw={raw}
        facts={trial.data?.facts}
        error={trial.error ?? undefined}
      >
        {children}
      </ExchangeView>
    </div>
  );
}
