CREATE FUNCTION public.audit_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$begin raise exception using message = TG_ARGV[0]; end$$;
CREATE FUNCTION public.ledger_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$begin raise exception using message = TG_ARGV[0]; end$$;
CREATE TABLE public.accounts (
    id text NOT NULL COLLATE pg_catalog."C",
    granted bigint,
    spent bigint NOT NULL,
    held bigint NOT NULL,
    CONSTRAINT accounts_held CHECK ((held >= 0))
);
CREATE TABLE public.asset_groups (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    channel text,
    account text,
    upstream_id text COLLATE pg_catalog."C",
    kind text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT asset_groups_kind CHECK ((kind = ANY (ARRAY['image'::text, 'identity'::text])))
);
CREATE TABLE public.assets (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    group_id text NOT NULL COLLATE pg_catalog."C",
    channel text,
    account text,
    upstream_id text COLLATE pg_catalog."C",
    type text NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    size_bytes bigint NOT NULL,
    details text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    due_at bigint NOT NULL,
    looks bigint NOT NULL,
    lease_until bigint NOT NULL,
    removed bigint NOT NULL,
    CONSTRAINT assets_status CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'failed'::text]))),
    CONSTRAINT assets_type CHECK ((type = ANY (ARRAY['image'::text, 'video'::text, 'audio'::text])))
);
CREATE TABLE public.audit (
    seq bigint NOT NULL,
    at bigint NOT NULL,
    actor_id bigint,
    actor text,
    role text,
    proof text NOT NULL,
    address text,
    user_agent text,
    request_id text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    object text NOT NULL,
    details text NOT NULL,
    outcome text NOT NULL,
    status bigint,
    prev text NOT NULL,
    digest text NOT NULL,
    CONSTRAINT audit_outcome CHECK ((outcome = ANY (ARRAY['asked'::text, 'done'::text, 'refused'::text, 'failed'::text])))
);
CREATE TABLE public.budgets (
    owner text NOT NULL COLLATE pg_catalog."C",
    day bigint,
    month bigint
);
CREATE TABLE public.call_blocks (
    block bigint NOT NULL,
    first_end bigint NOT NULL,
    last_end bigint NOT NULL,
    max_cost bigint NOT NULL,
    max_duration_ms bigint NOT NULL
);
CREATE TABLE public.call_terms (
    term text NOT NULL COLLATE pg_catalog."C",
    block bigint NOT NULL
);
CREATE TABLE public.calls (
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    user_id bigint NOT NULL,
    key_id bigint NOT NULL,
    model text NOT NULL,
    upstream_model text,
    channel text,
    provider text,
    style text NOT NULL,
    is_stream bigint NOT NULL,
    outcome text NOT NULL,
    fault text,
    input_tokens bigint NOT NULL,
    cached_input_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    audio_input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    audio_output_tokens bigint NOT NULL,
    is_estimated bigint NOT NULL,
    cost bigint NOT NULL,
    first_byte_ms bigint,
    duration_ms bigint NOT NULL,
    attempts text NOT NULL,
    lost text NOT NULL,
    long_cache_write_tokens bigint,
    rates text,
    image_input_tokens bigint DEFAULT 0 NOT NULL,
    image_output_tokens bigint DEFAULT 0 NOT NULL,
    images bigint DEFAULT 0 NOT NULL,
    media_ms bigint DEFAULT 0 NOT NULL,
    characters bigint DEFAULT 0 NOT NULL,
    searches bigint DEFAULT 0 NOT NULL,
    grade text,
    is_unpriced bigint DEFAULT 0 NOT NULL,
    session_id text,
    agent_id text,
    parent_agent_id text,
    reference_images bigint DEFAULT 0 NOT NULL,
    endpoint text,
    team_id bigint,
    group_id bigint,
    tags text,
    failed_channels text
);
ALTER TABLE public.calls ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.calls_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.catalog_rows (
    provider text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    "row" text NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.channel_minutes (
    channel text NOT NULL COLLATE pg_catalog."C",
    minute bigint NOT NULL,
    instance text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL,
    failed bigint NOT NULL,
    cost bigint NOT NULL,
    first_bytes text NOT NULL,
    faults text NOT NULL
);
CREATE TABLE public.channels (
    id bigint NOT NULL,
    name text NOT NULL,
    provider text NOT NULL,
    base_url text,
    reach text NOT NULL,
    credentials text NOT NULL,
    models text,
    style text,
    options text,
    priority bigint NOT NULL,
    weight bigint NOT NULL,
    max_concurrent bigint,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    status bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    model_prefix text,
    overrides text,
    notes text,
    tags text DEFAULT '[]'::text NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    changes text DEFAULT '[]'::text NOT NULL,
    CONSTRAINT channels_reach CHECK ((reach = ANY (ARRAY['public'::text, 'private'::text])))
);
ALTER TABLE public.channels ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.channels_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.groups (
    id bigint NOT NULL,
    name text NOT NULL,
    models text,
    channels text,
    price_factor bigint NOT NULL,
    prices text NOT NULL,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    concurrency bigint,
    shared_requests_per_minute bigint,
    shared_tokens_per_minute bigint,
    shared_concurrency bigint,
    version bigint NOT NULL,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL
);
ALTER TABLE public.groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.holds (
    call_id text NOT NULL COLLATE pg_catalog."C",
    user_account text COLLATE pg_catalog."C",
    key_account text COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    extensions bigint NOT NULL,
    checkpoint bigint,
    context text NOT NULL,
    instance text NOT NULL COLLATE pg_catalog."C",
    opened_at bigint NOT NULL,
    more_accounts text COLLATE pg_catalog."C",
    CONSTRAINT holds_amount CHECK ((amount >= 0))
);
CREATE TABLE public.identities (
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.identity_sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    channel text NOT NULL,
    account text NOT NULL,
    token_digest text NOT NULL COLLATE pg_catalog."C",
    return_digest text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    group_id text COLLATE pg_catalog."C",
    details text NOT NULL,
    created_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    due_at bigint,
    version bigint NOT NULL,
    lease_until bigint NOT NULL,
    CONSTRAINT identity_sessions_state CHECK ((state = ANY (ARRAY['open'::text, 'asking'::text, 'unsure'::text, 'passed'::text])))
);
CREATE TABLE public.instances (
    id text NOT NULL COLLATE pg_catalog."C",
    seen_at bigint NOT NULL
);
CREATE TABLE public.kept_answers (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    question text NOT NULL,
    call_id text NOT NULL COLLATE pg_catalog."C",
    instance text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    ends_by bigint NOT NULL,
    expires_at bigint NOT NULL,
    status bigint,
    headers text,
    body bytea,
    size_bytes bigint NOT NULL,
    CONSTRAINT kept_answers_state CHECK ((state = ANY (ARRAY['running'::text, 'done'::text])))
);
CREATE TABLE public.keys (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    name text NOT NULL,
    digest text,
    pepper_version bigint NOT NULL,
    last4 text NOT NULL,
    is_custom bigint NOT NULL,
    status bigint NOT NULL,
    models text NOT NULL,
    expires_at bigint,
    created_at bigint NOT NULL,
    deleted_at bigint,
    networks text,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    concurrency bigint,
    endpoints text,
    CONSTRAINT keys_tombstone CHECK (((digest IS NULL) = (deleted_at IS NOT NULL)))
);
ALTER TABLE public.keys ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.keys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.ledger (
    op_id text NOT NULL COLLATE pg_catalog."C",
    call_id text COLLATE pg_catalog."C",
    kind text NOT NULL,
    user_account text COLLATE pg_catalog."C",
    key_account text COLLATE pg_catalog."C",
    held_delta bigint NOT NULL,
    spent_delta bigint NOT NULL,
    granted_delta bigint NOT NULL,
    bound_delta bigint NOT NULL,
    note text,
    at bigint NOT NULL,
    more_accounts text COLLATE pg_catalog."C"
);
CREATE TABLE public.media (
    task_id text NOT NULL COLLATE pg_catalog."C",
    video_index bigint NOT NULL,
    variant text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    store text NOT NULL,
    size_bytes bigint,
    media_type text,
    digest text,
    kept_at bigint,
    attempts bigint NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    CONSTRAINT media_state CHECK ((state = ANY (ARRAY['wanted'::text, 'kept'::text, 'given_up'::text])))
);
CREATE TABLE public.meta (
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL
);
CREATE TABLE public.models (
    name text NOT NULL COLLATE pg_catalog."C",
    rates text,
    source text,
    date text,
    context_tokens bigint,
    max_output_tokens bigint,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    updated_at bigint NOT NULL,
    like_model text
);
CREATE TABLE public.notices (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    task_id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    body text NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    last_error text,
    CONSTRAINT notices_state CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
);
CREATE TABLE public.recovery_codes (
    user_id bigint NOT NULL,
    digest text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.response_items (
    id text NOT NULL COLLATE pg_catalog."C",
    response_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.responses (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    previous_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    input text NOT NULL,
    response text NOT NULL
);
CREATE TABLE public.sessions (
    digest text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    is_confirmed bigint DEFAULT 0 NOT NULL,
    network text
);
CREATE TABLE public.settings (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.sluice_migrations (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.sluice_migrations_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.tasks (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id bigint NOT NULL,
    key_id bigint NOT NULL,
    entry text NOT NULL,
    model text NOT NULL,
    status text NOT NULL,
    channel text,
    provider text,
    upstream_model text,
    format text,
    credential text,
    upstream_id text,
    external_id text,
    progress bigint,
    details text NOT NULL,
    held bigint NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    deadline_at bigint NOT NULL,
    due_at bigint NOT NULL,
    failures bigint NOT NULL,
    misses bigint NOT NULL,
    settled bigint NOT NULL,
    version bigint NOT NULL,
    lease_owner text,
    lease_until bigint NOT NULL,
    hurried bigint NOT NULL,
    removed bigint NOT NULL,
    owns_external_id bigint DEFAULT 0 NOT NULL,
    CONSTRAINT tasks_status CHECK ((status = ANY (ARRAY['submitting'::text, 'submit_unknown'::text, 'queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE TABLE public.teams (
    id bigint NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE public.teams ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.teams_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.usage_hours (
    hour bigint NOT NULL,
    user_id bigint NOT NULL,
    key_id bigint NOT NULL,
    model text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    calls bigint NOT NULL,
    failed_calls bigint NOT NULL,
    input_tokens bigint NOT NULL,
    cached_input_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    audio_input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    audio_output_tokens bigint NOT NULL,
    cost bigint NOT NULL,
    image_input_tokens bigint DEFAULT 0 NOT NULL,
    image_output_tokens bigint DEFAULT 0 NOT NULL,
    images bigint DEFAULT 0 NOT NULL,
    media_ms bigint DEFAULT 0 NOT NULL,
    characters bigint DEFAULT 0 NOT NULL,
    searches bigint DEFAULT 0 NOT NULL,
    reference_images bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.users (
    id bigint NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    status bigint NOT NULL,
    created_at bigint NOT NULL,
    email text,
    display_name text,
    password text,
    token_digest text,
    team_id bigint,
    group_id bigint,
    deleted_at bigint,
    totp_secret text,
    totp_pending text,
    totp_step bigint,
    totp_pending_until bigint,
    webhook_generation bigint DEFAULT 1 NOT NULL,
    webhook_rotated_at bigint,
    is_team_owner bigint DEFAULT 0 NOT NULL,
    CONSTRAINT users_role CHECK ((role = ANY (ARRAY['root'::text, 'admin'::text, 'user'::text, 'auditor'::text])))
);
ALTER TABLE public.users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_id_seq
    START WITH 2
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
INSERT INTO public.accounts VALUES ('user:2', NULL, 0, 0);
INSERT INTO public.accounts VALUES ('key:2', 5000000000, 0, 0);
INSERT INTO public.accounts VALUES ('team:1', NULL, 0, 0);
INSERT INTO public.accounts VALUES ('user:1', NULL, 400064820, 0);
INSERT INTO public.audit VALUES (1, 1795751221731, NULL, NULL, NULL, 'none', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6EV819R9GS96MPRKN3J', 'POST /api/user/login', '{}', '{"email":"root@example.com","password":"[secret]"}', 'asked', NULL, '', 'f8sd12g62x_qQ4PnczCG1EUu1jubSDg0vF3p2tDyFQo');
INSERT INTO public.audit VALUES (2, 1795751221830, 1, 'root', 'root', 'password', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6EV819R9GS96MPRKN3J', 'POST /api/user/login', '{}', '{}', 'done', 200, 'f8sd12g62x_qQ4PnczCG1EUu1jubSDg0vF3p2tDyFQo', 'w8yWiHQjZ8IoOHaNuwuc1PxCgI6h16wqlvZcYCnt3PU');
INSERT INTO public.audit VALUES (3, 1795751221843, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6JBD0MPQF1B4D7X6R1F', 'POST /api/user', '{}', '{"username":"kim","email":"kim@example.com","password":"[secret]","role":"user"}', 'asked', NULL, 'w8yWiHQjZ8IoOHaNuwuc1PxCgI6h16wqlvZcYCnt3PU', 'BKdjzGHKLyk1RZjodppfdqsNJdv21SdE30XHcnXkCVw');
INSERT INTO public.audit VALUES (4, 1795751221897, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6JBD0MPQF1B4D7X6R1F', 'POST /api/user', '{}', '{}', 'done', 200, 'BKdjzGHKLyk1RZjodppfdqsNJdv21SdE30XHcnXkCVw', 'd_oAqsnzYgyjZ8csWWZHEKXXa-33z8F8faS8tijp2JE');
INSERT INTO public.audit VALUES (5, 1795751221913, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6MFCYBYS1NGZR0KK3YV', 'POST /api/token', '{}', '{"name":"kept","quota_usd":5}', 'asked', NULL, 'd_oAqsnzYgyjZ8csWWZHEKXXa-33z8F8faS8tijp2JE', 'pcuJRBEx6HuAFmhnIn0lC7jMhr-bYEx3vZK_X_amGLc');
INSERT INTO public.audit VALUES (6, 1795751221931, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6MFCYBYS1NGZR0KK3YV', 'POST /api/token', '{}', '{}', 'done', 200, 'pcuJRBEx6HuAFmhnIn0lC7jMhr-bYEx3vZK_X_amGLc', 'EuRzMFy11WcyDksyQopSASkTHWovdIjuHOSS8hmTGjE');
INSERT INTO public.audit VALUES (7, 1795751221938, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6NF5D5EJ044DJMPAC42', 'POST /api/team', '{}', '{"name":"team"}', 'asked', NULL, 'EuRzMFy11WcyDksyQopSASkTHWovdIjuHOSS8hmTGjE', 'D8j7fkveNY1blnBmKqBjoxXqmUBDaB1V1gRjIg1equE');
INSERT INTO public.audit VALUES (8, 1795751221945, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6NF5D5EJ044DJMPAC42', 'POST /api/team', '{}', '{}', 'done', 200, 'D8j7fkveNY1blnBmKqBjoxXqmUBDaB1V1gRjIg1equE', 'WjJqiWP8xfkRxzDUh3bHBoGNzj9A9waSl2oDgmSWdAI');
INSERT INTO public.audit VALUES (9, 1795751221956, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6NVKP09HYNYS2W4ZV1R', 'POST /api/group', '{}', '{"name":"group","price_factor":2}', 'asked', NULL, 'WjJqiWP8xfkRxzDUh3bHBoGNzj9A9waSl2oDgmSWdAI', 'xR7Rsr8s3gX7NiEBrm7PScg8pGZzGOTpBMRV31JVP50');
INSERT INTO public.audit VALUES (10, 1795751221963, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6NVKP09HYNYS2W4ZV1R', 'POST /api/group', '{}', '{}', 'done', 200, 'xR7Rsr8s3gX7NiEBrm7PScg8pGZzGOTpBMRV31JVP50', 't2qb_BKM-HjYjgK56YDwgavMHvAP-x_9v9ImpMkg7v0');
INSERT INTO public.audit VALUES (11, 1795751221972, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6PFQ1N7P7SWZKGJ74K6', 'POST /api/channel', '{}', '{"name":"stored","provider":"openai","base_url":"http://127.0.0.1:42965/openai/v1","api_key":"[secret]"}', 'asked', NULL, 't2qb_BKM-HjYjgK56YDwgavMHvAP-x_9v9ImpMkg7v0', 'vZdHVYp5j6LpMAcrpOoNycVoaMEp9UywA5Ujy4IrSRI');
INSERT INTO public.audit VALUES (12, 1795751221996, 1, 'root', 'root', 'session', '127.0.0.1', 'Bun/1.4.4', '01M8DHT6PFQ1N7P7SWZKGJ74K6', 'POST /api/channel', '{}', '{}', 'done', 200, 'vZdHVYp5j6LpMAcrpOoNycVoaMEp9UywA5Ujy4IrSRI', '4Z8fmr3na6nzMNiMTlsYK21PoCKfMkE5pfx7BKQCZsQ');
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (1, '01M8DHT67T934GRJGK7P5J8PJT', 1795751221549, 1, 1, 'gpt-4o-mini', 'gpt-4o-mini', 'vendor', 'openai', 'chat', 0, 'completed', NULL, 12, 0, 0, 0, 24, 0, 0, 0, 16200, 47, 48, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":14,"startMs":33}]', '[]', NULL, '{"input":150000,"output":600000,"cachedInput":75000,"served":{"serviceTier":"standard"}}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'text', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (2, '01M8DHT6B3KP6XZQMYEEPT9V8J', 1795751221604, 1, 1, 'gpt-4o-mini', 'gpt-4o-mini', 'vendor', 'openai', 'chat', 1, 'completed', NULL, 12, 0, 0, 0, 24, 0, 0, 0, 16200, 20, 21, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":18,"startMs":2}]', '[]', NULL, '{"input":150000,"output":600000,"cachedInput":75000,"served":{"serviceTier":"standard"}}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'text', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (3, '01M8DHT6BVSK060FZJT8EVXJYQ', 1795751221635, 1, 1, 'gpt-4o-mini', 'gpt-4o-mini', 'vendor', 'openai', 'chat', 0, 'completed', NULL, 12, 0, 0, 0, 24, 0, 0, 0, 16200, 8, 8, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":7,"startMs":1}]', '[]', NULL, '{"input":150000,"output":600000,"cachedInput":75000,"served":{"serviceTier":"standard"}}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'text', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (4, '01M8DHT6CPG54F6B1YPWBP44V1', 1795751221656, 1, 1, 'gpt-4o-mini', 'gpt-4o-mini', 'vendor', 'openai', 'responses', 0, 'completed', NULL, 12, 0, 0, 0, 24, 0, 0, 0, 16200, 10, 10, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":6,"startMs":5}]', '[]', NULL, '{"input":150000,"output":600000,"cachedInput":75000,"served":{"serviceTier":"standard"}}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'text', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (5, '01M8DHT6DG9T569ZGHWT5HK0D1', 1795751221681, 1, 1, 'text-embedding-3-small', 'text-embedding-3-small', 'vendor', 'openai', 'embeddings', 0, 'completed', NULL, 1, 0, 0, 0, 0, 0, 0, 0, 20, 9, 9, '[{"channel":"vendor","credential":"...","fault":null,"status":200,"durationMs":7,"startMs":3}]', '[]', NULL, '{"input":20000,"output":0}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0, 'embeddings', NULL, NULL, NULL, NULL);
INSERT INTO public.calls OVERRIDING SYSTEM VALUE VALUES (6, 'task_dbGncBBMJ4pnlVgUd3KsZ162I7JUFb5p', 1795751221704, 1, 1, 'sora-2', 'sora-2', 'vendor', 'openai', 'video-openai', 0, 'completed', NULL, 0, 0, 0, 0, 0, 0, 0, 0, 400000000, NULL, 2182, '[]', '[]', NULL, '{"input":0,"output":0,"second":100000000000}', 0, 0, 0, 4000, 0, 0, '720p', 0, NULL, NULL, NULL, 0, 'videos', NULL, NULL, NULL, NULL);
INSERT INTO public.channel_minutes VALUES ('vendor', 1795751220000, 'vm-21451-6H11QW', 5, 0, 400064820, '[[15,1],[17,1],[11,2],[10,1]]', '[]');
INSERT INTO public.channels VALUES (1, 'stored', 'openai', 'http://127.0.0.1:42965/openai/v1', 'private', '["v1.xWEMZan9.MPSZ2TgY9-3imVIIOGBqLO9LWphaF8z4q45g0dYGeXYRWrdJ4sEeVG7TKIzlHmh8Wm_e83OtZqv536Tn.ZhI7CuVubGZk1Hhiv6gMDz8juFzdHlB5XunQ-3A42Fry3G0"]', NULL, NULL, NULL, 0, 1000, NULL, NULL, NULL, 1, 1795751221979, 1795751221979, NULL, NULL, NULL, '[]', 1, '[]');
INSERT INTO public.groups VALUES (1, 'group', NULL, NULL, 2000, '{}', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1795751221960, 1795751221960);
INSERT INTO public.kept_answers VALUES ('-9evf3u3DFjdigoQQ1IR6RbKovnurgSZ5HdOJ9fVuww', 1, 'DyPK4CI7eD60mFiAcBIdn8O-xiLPq9wv0x_WD_u4YMc', '01M8DHT6BVSK060FZJT8EVXJYQ', 'vm-21451-6H11QW', 'done', 1795754881628, 1795837621645, 200, '{"content-type":"application/json"}', '\x28b52ffd60a701ed0c00265c5423206feb2058ef6383596f2e0d3f6c710f02e2870826192c8e4accfbfc008c56104070205000490048008c666994861d29ce503e4694e963e7912ea6699886a3f170304c1dffb26cba147a3fbf187903f8c61211ae4b1f070c01776090485020343481424373c4989060b07051e01a90f262d47ea1a64c5deb24107ee80ff767cfb9ca949f4b9d30e5c8cec991ae85a9053bd83a79603ab9b5434f5b1a8c478063599cf8c096517204f6e344fc53f24fda879d3295dcef706b0ac953970e308a635102fe744d10ef10aeaef724c8f4ed941e96ba14a0c2e18482a8f756cd56b3a1573ed5da27453dd52ac983aea25510e5e0aa25257fde14470b1574359df40a25259728b72c15532ca402d334b16ced5846c7f1476e6d7545604fde4e5a5d8b63a86dd309d3f97a9f9db30402debebf2e46a3ab6178c2dff918b98c922e8849a3ff54a6d0e7b274a0d9b09f19e13246021b004215d022589cca21d05a7b8409acc2a119064470908674696eeea9227c255d4d2d3a6511d2e604adf7f9c8284a0433b17ef574e7cd76143ac3d585eed82f0fbb1acf65acba6a0f', 423);
INSERT INTO public.keys VALUES (1, 1, '(bootstrap)', 'niSjTQv6srWdEVkNGGvGVkoxJ-ytizrFvHd2c9p41xQ', 1, 'cdef', 1, 1, '["*"]', NULL, 1795751221363, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.keys VALUES (2, 1, 'kept', '25V3f0KZB-k6ojieQYL-Spe77Cl82dnNaGl87tbYzoU', 1, 'ewaR', 0, 1, '["*"]', NULL, 1795751221916, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT67T934GRJGK7P5J8PJT:hold', '01M8DHT67T934GRJGK7P5J8PJT', 'hold', 'user:1', NULL, 2460450, 0, 0, 0, NULL, 1795751221549, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT67T934GRJGK7P5J8PJT:settle', '01M8DHT67T934GRJGK7P5J8PJT', 'settle', 'user:1', NULL, -2460450, 16200, 0, 0, NULL, 1795751221597, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT6B3KP6XZQMYEEPT9V8J:hold', '01M8DHT6B3KP6XZQMYEEPT9V8J', 'hold', 'user:1', NULL, 2460750, 0, 0, 0, NULL, 1795751221604, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT6B3KP6XZQMYEEPT9V8J:settle', '01M8DHT6B3KP6XZQMYEEPT9V8J', 'settle', 'user:1', NULL, -2460750, 16200, 0, 0, NULL, 1795751221625, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT6BVSK060FZJT8EVXJYQ:hold', '01M8DHT6BVSK060FZJT8EVXJYQ', 'hold', 'user:1', NULL, 2460450, 0, 0, 0, NULL, 1795751221635, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT6BVSK060FZJT8EVXJYQ:settle', '01M8DHT6BVSK060FZJT8EVXJYQ', 'settle', 'user:1', NULL, -2460450, 16200, 0, 0, NULL, 1795751221643, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT6CPG54F6B1YPWBP44V1:hold', '01M8DHT6CPG54F6B1YPWBP44V1', 'hold', 'user:1', NULL, 2459550, 0, 0, 0, NULL, 1795751221656, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT6CPG54F6B1YPWBP44V1:settle', '01M8DHT6CPG54F6B1YPWBP44V1', 'settle', 'user:1', NULL, -2459550, 16200, 0, 0, NULL, 1795751221666, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT6DG9T569ZGHWT5HK0D1:hold', '01M8DHT6DG9T569ZGHWT5HK0D1', 'hold', 'user:1', NULL, 20, 0, 0, 0, NULL, 1795751221681, NULL);
INSERT INTO public.ledger VALUES ('01M8DHT6DG9T569ZGHWT5HK0D1:settle', '01M8DHT6DG9T569ZGHWT5HK0D1', 'settle', 'user:1', NULL, -20, 20, 0, 0, NULL, 1795751221690, NULL);
INSERT INTO public.ledger VALUES ('task_dbGncBBMJ4pnlVgUd3KsZ162I7JUFb5p:hold', 'task_dbGncBBMJ4pnlVgUd3KsZ162I7JUFb5p', 'hold', 'user:1', NULL, 400000000, 0, 0, 0, NULL, 1795751221704, NULL);
INSERT INTO public.ledger VALUES ('grant:01M8DHT6MWRHTBZMBHCDKB237P', NULL, 'grant', NULL, 'key:2', 0, 0, 5000000000, 1, 'key created', 1795751221916, NULL);
INSERT INTO public.ledger VALUES ('task_dbGncBBMJ4pnlVgUd3KsZ162I7JUFb5p:settle', 'task_dbGncBBMJ4pnlVgUd3KsZ162I7JUFb5p', 'settle', 'user:1', NULL, -400000000, 400000000, 0, 0, NULL, 1795751223898, NULL);
INSERT INTO public.meta VALUES ('pepper', 'ENxuoLIQbkcr8zL1b3FFWER0m0F-VBKXCjUCnVcm4s0');
INSERT INTO public.meta VALUES ('routing', '1');
INSERT INTO public.meta VALUES ('audit', '');
INSERT INTO public.response_items VALUES ('msg_6bb607d4c3f5d2bcc97ff0ebdba4cafa95b75a22b0722686c0', 'resp_afb43660db7bdc5a47eb1cc2d503dd52dff23c29fdc4e43910');
INSERT INTO public.responses VALUES ('resp_afb43660db7bdc5a47eb1cc2d503dd52dff23c29fdc4e43910', 1, NULL, 1795751221668, '[{"role":"user","content":"Name a colour."}]', '{"id":"resp_afb43660db7bdc5a47eb1cc2d503dd52dff23c29fdc4e43910","object":"response","created_at":1795751221,"status":"completed","background":false,"billing":{"payer":"developer"},"completed_at":1795751221,"error":null,"frequency_penalty":0,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"model":"gpt-4o-mini-2024-07-18","moderation":null,"output":[{"id":"msg_6bb607d4c3f5d2bcc97ff0ebdba4cafa95b75a22b0722686c0","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"I have read your words on name colour, and I am only a simulation, so this is all I know."}],"role":"assistant"}],"parallel_tool_calls":true,"presence_penalty":0,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"service_tier":"default","store":true,"temperature":1,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tool_usage":{"image_gen":{"input_tokens":0,"input_tokens_details":{"image_tokens":0,"text_tokens":0},"output_tokens":0,"output_tokens_details":{"image_tokens":0,"text_tokens":0},"total_tokens":0},"web_search":{"num_requests":0}},"tools":[],"top_logprobs":0,"top_p":1,"truncation":"disabled","usage":{"input_tokens":12,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":24,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":36},"user":null,"metadata":{}}');
INSERT INTO public.sessions VALUES ('S4bfW5FhAtj2qYKu4NlWcYRUQhlmVy2_MBQfPHZiUXw', 1, 1795751221812, 1795751221812, 0, '127.0.0.0/24');
INSERT INTO public.sluice_migrations VALUES ('0001-start', '2026-11-27T03:47:01.129Z');
INSERT INTO public.sluice_migrations VALUES ('0002-responses', '2026-11-27T03:47:01.136Z');
INSERT INTO public.sluice_migrations VALUES ('0003-accounts', '2026-11-27T03:47:01.147Z');
INSERT INTO public.sluice_migrations VALUES ('0004-kept-answers', '2026-11-27T03:47:01.157Z');
INSERT INTO public.sluice_migrations VALUES ('0005-channels', '2026-11-27T03:47:01.163Z');
INSERT INTO public.sluice_migrations VALUES ('0006-budgets', '2026-11-27T03:47:01.173Z');
INSERT INTO public.sluice_migrations VALUES ('0007-groups', '2026-11-27T03:47:01.178Z');
INSERT INTO public.sluice_migrations VALUES ('0008-second-factors', '2026-11-27T03:47:01.184Z');
INSERT INTO public.sluice_migrations VALUES ('0009-audit', '2026-11-27T03:47:01.191Z');
INSERT INTO public.sluice_migrations VALUES ('0010-usage', '2026-11-27T03:47:01.196Z');
INSERT INTO public.sluice_migrations VALUES ('0011-settings', '2026-11-27T03:47:01.199Z');
INSERT INTO public.sluice_migrations VALUES ('0012-units', '2026-11-27T03:47:01.211Z');
INSERT INTO public.sluice_migrations VALUES ('0013-tasks', '2026-11-27T03:47:01.220Z');
INSERT INTO public.sluice_migrations VALUES ('0014-notices', '2026-11-27T03:47:01.226Z');
INSERT INTO public.sluice_migrations VALUES ('0015-media', '2026-11-27T03:47:01.229Z');
INSERT INTO public.sluice_migrations VALUES ('0016-assets', '2026-11-27T03:47:01.245Z');
INSERT INTO public.sluice_migrations VALUES ('0017-own-external-ids', '2026-11-27T03:47:01.248Z');
INSERT INTO public.sluice_migrations VALUES ('0018-unpriced-calls', '2026-11-27T03:47:01.251Z');
INSERT INTO public.sluice_migrations VALUES ('0019-models-like-others', '2026-11-27T03:47:01.251Z');
INSERT INTO public.sluice_migrations VALUES ('0020-call-tags', '2026-11-27T03:47:01.254Z');
INSERT INTO public.sluice_migrations VALUES ('0021-catalog-rows', '2026-11-27T03:47:01.258Z');
INSERT INTO public.sluice_migrations VALUES ('0022-reference-images', '2026-11-27T03:47:01.260Z');
INSERT INTO public.sluice_migrations VALUES ('0023-call-blocks', '2026-11-27T03:47:01.268Z');
INSERT INTO public.sluice_migrations VALUES ('0024-described-channels', '2026-11-27T03:47:01.273Z');
INSERT INTO public.sluice_migrations_lock VALUES ('migration_lock', 0);
INSERT INTO public.tasks VALUES ('task_dbGncBBMJ4pnlVgUd3KsZ162I7JUFb5p', 1, 1, 'video-openai', 'sora-2', 'succeeded', 'vendor', 'openai', 'sora-2', 'video-openai', '...', 'video_720a20b6b259978a0d96b98aca068587edd8c9a905456b11', NULL, 100, '{"facts":{"scenario":"text","prompt":"a cat","seconds":4,"size":"720x1280"},"videos":[{"url":"","id":"video_720a20b6b259978a0d96b98aca068587edd8c9a905456b11","seconds":4,"width":720,"height":1280}],"usage":{"inputTokens":0,"cachedInputTokens":0,"cacheWriteTokens":0,"audioInputTokens":0,"outputTokens":0,"reasoningTokens":0,"audioOutputTokens":0,"isEstimated":false,"durationMs":4000,"grade":"720p"},"lost":[],"linksEndAt":1795754823000,"price":{"input":0,"output":0,"second":100000000000,"source":"https://developers.openai.com/api/docs/pricing","date":"2026-11-23"}}', 400000000, 1795751221704, 1795751223886, 1795751223886, 1795837621713, 1795751223887, 0, 0, 1, 4, NULL, 0, 0, 0, 0);
INSERT INTO public.teams VALUES (1, 'team', 1795751221941);
INSERT INTO public.users VALUES (2, 'kim', 'user', 1, 1795751221848, 'kim@example.com', NULL, '$argon2id$v=19$m=19456,t=2,p=1$8e2Gs+tCaiVnwl/8iQ/A2Qj/la4WTgushwdEMh09hjc$C6SZhu+lo5OOtOBKmGRSaccHuA5MxHuyEZRGhgb43fc', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, 0);
INSERT INTO public.users VALUES (1, 'root', 'root', 1, 1795751221353, 'root@example.com', NULL, '$argon2id$v=19$m=19456,t=2,p=1$zMWar5HwQoB8BGvn2DjiezsF1WZgCvhQ9KI2wUUhJXw$/ny0PHRs4/TLViFqUU8YKp/kchrJuLxUOfrSlsrS3uM', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, 0);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.asset_groups
    ADD CONSTRAINT asset_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (owner);
ALTER TABLE ONLY public.call_blocks
    ADD CONSTRAINT call_blocks_pkey PRIMARY KEY (block);
ALTER TABLE ONLY public.call_terms
    ADD CONSTRAINT call_terms_key PRIMARY KEY (term, block);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_id_key UNIQUE (id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.catalog_rows
    ADD CONSTRAINT catalog_rows_key PRIMARY KEY (provider, id);
ALTER TABLE ONLY public.channel_minutes
    ADD CONSTRAINT channel_minutes_key PRIMARY KEY (channel, minute, instance);
ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_name_key UNIQUE (name);
ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_name_key UNIQUE (name);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (call_id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_key PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_of_user UNIQUE (user_id, issuer);
ALTER TABLE ONLY public.identity_sessions
    ADD CONSTRAINT identity_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identity_sessions
    ADD CONSTRAINT identity_sessions_return_digest_key UNIQUE (return_digest);
ALTER TABLE ONLY public.identity_sessions
    ADD CONSTRAINT identity_sessions_token_digest_key UNIQUE (token_digest);
ALTER TABLE ONLY public.instances
    ADD CONSTRAINT instances_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kept_answers
    ADD CONSTRAINT kept_answers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (op_id);
ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_key PRIMARY KEY (task_id, video_index, variant);
ALTER TABLE ONLY public.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_key PRIMARY KEY (user_id, digest);
ALTER TABLE ONLY public.response_items
    ADD CONSTRAINT response_items_key PRIMARY KEY (id, response_id);
ALTER TABLE ONLY public.responses
    ADD CONSTRAINT responses_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.sluice_migrations_lock
    ADD CONSTRAINT sluice_migrations_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sluice_migrations
    ADD CONSTRAINT sluice_migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_name_key UNIQUE (name);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage_hours
    ADD CONSTRAINT usage_hours_key PRIMARY KEY (hour, user_id, key_id, model, channel);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_name_key UNIQUE (name);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX asset_groups_by_upstream_id ON public.asset_groups USING btree (channel, upstream_id) WHERE (upstream_id IS NOT NULL);
CREATE INDEX asset_groups_of_user ON public.asset_groups USING btree (user_id, id);
CREATE UNIQUE INDEX assets_by_upstream_id ON public.assets USING btree (channel, upstream_id) WHERE (upstream_id IS NOT NULL);
CREATE INDEX assets_due ON public.assets USING btree (status, due_at);
CREATE INDEX assets_of_group ON public.assets USING btree (group_id);
CREATE INDEX assets_of_user ON public.assets USING btree (user_id, created_at, id);
CREATE INDEX assets_removed ON public.assets USING btree (removed, id) WHERE (removed = 1);
CREATE INDEX audit_by_action ON public.audit USING btree (action, seq);
CREATE INDEX audit_by_actor_id ON public.audit USING btree (actor_id, seq);
CREATE INDEX audit_by_at ON public.audit USING btree (at, seq);
CREATE INDEX call_terms_by_block ON public.call_terms USING btree (block);
CREATE INDEX calls_by_key ON public.calls USING btree (key_id, seq);
CREATE INDEX calls_by_session ON public.calls USING btree (session_id, seq) WHERE (session_id IS NOT NULL);
CREATE INDEX calls_by_user ON public.calls USING btree (user_id, seq);
CREATE INDEX channel_minutes_by_minute ON public.channel_minutes USING btree (minute);
CREATE INDEX identity_sessions_by_end ON public.identity_sessions USING btree (ends_at);
CREATE INDEX identity_sessions_due ON public.identity_sessions USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX identity_sessions_of_user ON public.identity_sessions USING btree (user_id, ends_at);
CREATE INDEX kept_answers_by_age ON public.kept_answers USING btree (expires_at);
CREATE INDEX kept_answers_by_user ON public.kept_answers USING btree (user_id, expires_at, size_bytes);
CREATE UNIQUE INDEX keys_living_name ON public.keys USING btree (user_id, name) WHERE (deleted_at IS NULL);
CREATE INDEX ledger_grants_by_more_accounts ON public.ledger USING btree (more_accounts, at, op_id) WHERE (kind = 'grant'::text);
CREATE INDEX ledger_grants_by_user_account ON public.ledger USING btree (user_account, at, op_id) WHERE (kind = 'grant'::text);
CREATE INDEX media_by_age ON public.media USING btree (created_at);
CREATE INDEX media_due ON public.media USING btree (state, due_at);
CREATE INDEX notices_due ON public.notices USING btree (state, due_at);
CREATE INDEX notices_of_user ON public.notices USING btree (user_id, created_at, id);
CREATE INDEX response_items_by_response ON public.response_items USING btree (response_id);
CREATE INDEX responses_by_age ON public.responses USING btree (created_at);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id);
CREATE INDEX tasks_by_external_id ON public.tasks USING btree (user_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX tasks_by_lease ON public.tasks USING btree (lease_owner) WHERE (lease_owner IS NOT NULL);
CREATE UNIQUE INDEX tasks_by_own_external_id ON public.tasks USING btree (user_id, external_id) WHERE ((owns_external_id = 1) AND (removed = 0));
CREATE UNIQUE INDEX tasks_by_upstream_id ON public.tasks USING btree (channel, upstream_id) WHERE (upstream_id IS NOT NULL);
CREATE INDEX tasks_of_user ON public.tasks USING btree (user_id, created_at, id);
CREATE INDEX tasks_open ON public.tasks USING btree (settled, due_at);
CREATE INDEX usage_hours_by_key_id ON public.usage_hours USING btree (key_id, hour);
CREATE INDEX usage_hours_by_user_id ON public.usage_hours USING btree (user_id, hour);
CREATE INDEX users_by_group ON public.users USING btree (group_id);
CREATE INDEX users_by_team ON public.users USING btree (team_id);
CREATE UNIQUE INDEX users_email ON public.users USING btree (email);
CREATE UNIQUE INDEX users_token_digest ON public.users USING btree (token_digest);
CREATE TRIGGER audit_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit FOR EACH STATEMENT EXECUTE FUNCTION public.audit_refuse_change('The audit is append-only.');
CREATE TRIGGER ledger_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change('The ledger is append-only.');
ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.asset_groups(id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.kept_answers
    ADD CONSTRAINT kept_answers_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.response_items
    ADD CONSTRAINT response_items_response_id_fkey FOREIGN KEY (response_id) REFERENCES public.responses(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.responses
    ADD CONSTRAINT responses_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.teams(id);
