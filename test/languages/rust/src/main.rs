// Steps of Rust clients. Prints a JSON line for each: client, step, and a failure if there is one.
// The vendor calls its video endpoints deprecated; the gateway serves them.
#![allow(deprecated)]

use std::{env, future::Future, pin::Pin, sync::Arc, time::Duration};

use async_openai::{
    config::OpenAIConfig,
    error::OpenAIError,
    types::{
        chat::{ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs},
        embeddings::CreateEmbeddingRequestArgs,
        images::{CreateImageRequestArgs, Image, ImageModel, ImageResponseFormat},
        responses::{CreateResponseArgs, ResponseStreamEvent},
        videos::{CreateVideoRequestArgs, VideoStatus},
    },
};
use futures::StreamExt;
use genai::{
    adapter::AdapterKind,
    chat::{ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, Tool},
    resolver::{AuthData, Endpoint, ServiceTargetResolver},
    ModelIden, ServiceTarget,
};
use serde_json::json;

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Ended = Result<(), Failure>;
type Run = Pin<Box<dyn Future<Output = Ended>>>;

struct Step {
    client: &'static str,
    name: &'static str,
    run: Box<dyn Fn() -> Run>,
}

const TEXT_MODEL: &str = "gpt-4o-mini";

fn expect(condition: bool, said: impl std::fmt::Debug) -> Ended {
    if condition {
        return Ok(());
    }
    Err(format!("unexpected: {said:?}").chars().take(600).collect::<String>().into())
}

fn step<F, R>(client: &'static str, name: &'static str, run: F) -> Step
where
    F: Fn() -> R + 'static,
    R: Future<Output = Ended> + 'static,
{
    Step { client, name, run: Box::new(move || Box::pin(run())) }
}

fn openai(client: &'static str, base: String, key: String) -> Vec<Step> {
    let config = OpenAIConfig::new().with_api_base(base).with_api_key(key);
    let api = Arc::new(async_openai::Client::with_config(config));
    let hello = |stream: bool| {
        CreateChatCompletionRequestArgs::default()
            .model(TEXT_MODEL)
            .messages([ChatCompletionRequestUserMessage::from("Say hello.").into()])
            .stream(stream)
            .build()
    };
    let mut steps = Vec::new();
    let own = api.clone();
    steps.push(step(client, "chat", move || {
        let own = own.clone();
        async move {
            let answer = own.chat().create(hello(false)?).await?;
            expect(answer.choices[0].message.content.is_some(), answer)
        }
    }));
    let own = api.clone();
    steps.push(step(client, "chat_stream", move || {
        let own = own.clone();
        async move {
            let mut stream = own.chat().create_stream(hello(true)?).await?;
            let mut text = String::new();
            while let Some(chunk) = stream.next().await {
                for choice in chunk?.choices {
                    text += choice.delta.content.as_deref().unwrap_or("");
                }
            }
            expect(!text.is_empty(), text)
        }
    }));
    let own = api.clone();
    steps.push(step(client, "responses", move || {
        let own = own.clone();
        async move {
            let asked = CreateResponseArgs::default().model(TEXT_MODEL).input("Say hello.").build()?;
            let answer = own.responses().create(asked).await?;
            expect(answer.output_text().is_some_and(|text| !text.is_empty()), answer)
        }
    }));
    let own = api.clone();
    steps.push(step(client, "responses_stream", move || {
        let own = own.clone();
        async move {
            let asked = CreateResponseArgs::default()
                .model(TEXT_MODEL)
                .input("Say hello.")
                .stream(true)
                .build()?;
            let mut stream = own.responses().create_stream(asked).await?;
            let (mut text, mut is_whole) = (String::new(), false);
            while let Some(event) = stream.next().await {
                match event? {
                    ResponseStreamEvent::ResponseOutputTextDelta(delta) => text += &delta.delta,
                    ResponseStreamEvent::ResponseCompleted(_) => is_whole = true,
                    _ => {}
                }
            }
            expect(is_whole && !text.is_empty(), text)
        }
    }));
    let own = api.clone();
    steps.push(step(client, "images", move || {
        let own = own.clone();
        async move {
            let asked = CreateImageRequestArgs::default()
                .model(ImageModel::Other("gpt-image-1".into()))
                .prompt("a fox")
                .build()?;
            let answer = own.images().generate(asked).await?;
            expect(matches!(answer.data[0].as_ref(), Image::B64Json { .. }), answer.data.len())
        }
    }));
    let own = api.clone();
    steps.push(step(client, "images_as_base64", move || {
        let own = own.clone();
        async move {
            let asked = CreateImageRequestArgs::default()
                .model(ImageModel::Other("dall-e-3".into()))
                .prompt("a fox")
                .response_format(ImageResponseFormat::B64Json)
                .build()?;
            let answer = own.images().generate(asked).await?;
            expect(matches!(answer.data[0].as_ref(), Image::B64Json { .. }), answer.data.len())
        }
    }));
    let own = api.clone();
    steps.push(step(client, "embeddings", move || {
        let own = own.clone();
        async move {
            let asked = CreateEmbeddingRequestArgs::default()
                .model("text-embedding-3-small")
                .input(["a", "b"])
                .build()?;
            let answer = own.embeddings().create(asked).await?;
            expect(answer.data.len() == 2, answer.data.len())
        }
    }));
    let own = api.clone();
    steps.push(step(client, "video", move || {
        let own = own.clone();
        async move {
            let asked = CreateVideoRequestArgs::default().model("sora-2").prompt("a fox").build()?;
            let mut video = own.videos().create(asked).await?;
            while !matches!(video.status, VideoStatus::Completed | VideoStatus::Failed) {
                tokio::time::sleep(Duration::from_millis(200)).await;
                video = own.videos().retrieve(&video.id).await?;
            }
            let content = own.videos().download_content(&video.id).await?;
            expect(content.len() > 100, content.len())
        }
    }));
    steps.push(step(client, "refusal", move || {
        let own = api.clone();
        async move {
            let asked = CreateChatCompletionRequestArgs::default()
                .model("nobody-knows-it")
                .messages([ChatCompletionRequestUserMessage::from("Say hello.").into()])
                .build()?;
            match own.chat().create(asked).await {
                Err(OpenAIError::ApiError(told)) => expect(told.to_string().contains("model"), told),
                other => expect(false, other),
            }
        }
    }));
    steps
}

/** One client of all vendors, in each of the styles that it speaks. */
fn multi(
    client: &'static str,
    kind: AdapterKind,
    base: String,
    key: String,
    model: &'static str,
) -> Vec<Step> {
    let resolver = ServiceTargetResolver::from_resolver_fn(
        move |target: ServiceTarget| -> Result<ServiceTarget, genai::resolver::Error> {
            Ok(ServiceTarget {
                endpoint: Endpoint::from_owned(base.clone()),
                auth: AuthData::from_single(key.clone()),
                model: ModelIden::new(kind, target.model.model_name),
            })
        },
    );
    let api = genai::Client::builder().with_service_target_resolver(resolver).build();
    let api = Arc::new(api.expect("a client"));
    let hello = || ChatRequest::new(vec![ChatMessage::user("Say hello.")]);
    let mut steps = Vec::new();
    let own = api.clone();
    steps.push(step(client, "chat", move || {
        let own = own.clone();
        async move {
            let answer = own.exec_chat(model, hello(), None).await?;
            expect(answer.first_text().is_some_and(|text| !text.is_empty()), answer)
        }
    }));
    let own = api.clone();
    steps.push(step(client, "chat_stream", move || {
        let own = own.clone();
        async move {
            let options = ChatOptions::default().with_capture_usage(true);
            let mut answer = own.exec_chat_stream(model, hello(), Some(&options)).await?;
            let (mut text, mut used) = (String::new(), None);
            while let Some(event) = answer.stream.next().await {
                match event? {
                    ChatStreamEvent::Chunk(chunk) => text += &chunk.content,
                    ChatStreamEvent::End(end) => used = end.captured_usage,
                    _ => {}
                }
            }
            let counted = used.as_ref().and_then(|usage| usage.completion_tokens).unwrap_or(0);
            expect(!text.is_empty() && counted > 0, (text, used))
        }
    }));
    steps.push(step(client, "tools", move || {
        let own = api.clone();
        async move {
            let schema = json!({
                "type": "object",
                "properties": { "city": { "type": "string" } },
                "required": ["city"],
            });
            let tool = Tool::new("get_weather").with_description("The weather.").with_schema(schema);
            let asked = ChatRequest::new(vec![ChatMessage::user("What is the weather in Tokyo?")])
                .with_tools(vec![tool]);
            let answer = own.exec_chat(model, asked.clone(), None).await?;
            let calls = answer.into_tool_calls();
            if calls.is_empty() {
                return expect(false, "no call");
            }
            let told = genai::chat::ToolResponse::new(calls[0].call_id.clone(), "22 degrees");
            let asked = asked.append_message(calls).append_message(told);
            let answer = own.exec_chat(model, asked, None).await?;
            expect(answer.first_text().is_some_and(|text| !text.is_empty()), answer)
        }
    }));
    steps
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let (base, key, picked) = (&words[0], &words[1], &words[2..]);
    let at = |path: &str| format!("{base}{path}");
    let mut steps = openai("async-openai /v1", at("/v1"), key.clone());
    steps.extend(openai("async-openai /openai/v1", at("/openai/v1"), key.clone()));
    let kinds = [
        ("genai-rs chat", AdapterKind::OpenAI, "/v1/", TEXT_MODEL),
        ("genai-rs responses", AdapterKind::OpenAIResp, "/v1/", TEXT_MODEL),
        ("genai-rs messages", AdapterKind::Anthropic, "/v1/", "claude-sonnet-4-5-20250929"),
        ("genai-rs gemini", AdapterKind::Gemini, "/v1beta/", "gemini-2.5-flash"),
    ];
    for (client, kind, path, model) in kinds {
        steps.extend(multi(client, kind, at(path), key.clone(), model));
    }
    let http = reqwest::Client::new();
    for Step { client, name, run } in steps {
        let full = format!("{client} {name}");
        if !picked.is_empty() && !picked.iter().any(|word| full.contains(word.as_str())) {
            continue;
        }
        let mut announced = reqwest::Url::parse(&at("/_step")).expect("an address");
        announced.query_pairs_mut().append_pair("client", client).append_pair("step", name);
        http.get(announced).send().await.expect("the recorder");
        let mut said = json!({ "client": client, "step": name });
        if let Err(failure) = run().await {
            said["failure"] = json!(failure.to_string());
        }
        println!("{said}");
    }
}
