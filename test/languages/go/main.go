// Steps of Go clients. Prints a JSON line for each: client, step, and a failure if there is one.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	goopenai "github.com/sashabaranov/go-openai"
	"github.com/volcengine/volcengine-go-sdk/service/arkruntime"
	arkmodel "github.com/volcengine/volcengine-go-sdk/service/arkruntime/model"
	"github.com/volcengine/volcengine-go-sdk/volcengine"
	"google.golang.org/genai"
)

const (
	textModel    = "gpt-4o-mini"
	pictureModel = "gpt-image-1"
	geminiModel  = "gemini-2.5-flash"
	imagenModel  = "imagen-4.0-generate-001"
	veoModel     = "veo-3.1-generate-preview"
	arkText      = "doubao-seed-1-6-250615"
	arkPicture   = "doubao-seedream-4-0-250828"
	arkVideo     = "doubao-seedance-1-0-pro-250528"
)

var base, key = os.Args[1], os.Args[2]
var ctx = context.Background()

type step struct {
	client, name string
	run          func() error
}

func expect(condition bool, said any) error {
	if condition {
		return nil
	}
	return fmt.Errorf("unexpected: %+v", said)
}

func official() openai.Client {
	return openai.NewClient(option.WithBaseURL(base+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0))
}

func chatParams() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    textModel,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")},
	}
}

func officialSteps() []step {
	client := official()
	return []step{
		{"openai-go", "chat", func() error {
			answer, err := client.Chat.Completions.New(ctx, chatParams())
			if err != nil {
				return err
			}
			return expect(answer.Choices[0].Message.Content != "", answer)
		}},
		{"openai-go", "chat_stream", func() error {
			stream := client.Chat.Completions.NewStreaming(ctx, chatParams())
			text := ""
			for stream.Next() {
				for _, choice := range stream.Current().Choices {
					text += choice.Delta.Content
				}
			}
			if stream.Err() != nil {
				return stream.Err()
			}
			return expect(text != "", text)
		}},
		{"openai-go", "responses", func() error {
			answer, err := client.Responses.New(ctx, responses.ResponseNewParams{
				Model: textModel,
				Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Say hello.")},
			})
			if err != nil {
				return err
			}
			return expect(answer.OutputText() != "", answer)
		}},
		{"openai-go", "images", func() error {
			answer, err := client.Images.Generate(ctx, openai.ImageGenerateParams{Model: pictureModel, Prompt: "a fox"})
			if err != nil {
				return err
			}
			return expect(len(answer.Data) == 1 && answer.Data[0].B64JSON != "", len(answer.Data))
		}},
		{"openai-go", "video", func() error {
			video, err := client.Videos.New(ctx, openai.VideoNewParams{Model: "sora-2", Prompt: "a fox"})
			for err == nil && video.Status != openai.VideoStatusCompleted {
				time.Sleep(200 * time.Millisecond)
				video, err = client.Videos.Get(ctx, video.ID)
			}
			if err != nil {
				return err
			}
			file, err := client.Videos.DownloadContent(ctx, video.ID, openai.VideoDownloadContentParams{})
			if err != nil {
				return err
			}
			defer file.Body.Close()
			content, err := io.ReadAll(file.Body)
			return errors.Join(err, expect(len(content) > 100, len(content)))
		}},
	}
}

func plainSteps(prefix string) []step {
	config := goopenai.DefaultConfig(key)
	config.BaseURL = base + prefix
	client := goopenai.NewClientWithConfig(config)
	name := "go-openai " + prefix
	return []step{
		{name, "chat", func() error {
			answer, err := client.CreateChatCompletion(ctx, goopenai.ChatCompletionRequest{
				Model:    textModel,
				Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: "Say hello."}},
			})
			if err != nil {
				return err
			}
			return expect(answer.Choices[0].Message.Content != "", answer)
		}},
		{name, "images", func() error {
			answer, err := client.CreateImage(ctx, goopenai.ImageRequest{Model: pictureModel, Prompt: "a fox"})
			if err != nil {
				return err
			}
			return expect(len(answer.Data) == 1 && answer.Data[0].B64JSON != "", answer.Created)
		}},
		{name, "images_as_base64", func() error {
			answer, err := client.CreateImage(ctx, goopenai.ImageRequest{
				Model:          "dall-e-3",
				Prompt:         "a fox",
				N:              1,
				Size:           goopenai.CreateImageSize1024x1024,
				ResponseFormat: goopenai.CreateImageResponseFormatB64JSON,
			})
			if err != nil {
				return err
			}
			return expect(len(answer.Data) == 1 && answer.Data[0].B64JSON != "", answer.Created)
		}},
		{name, "embeddings", func() error {
			answer, err := client.CreateEmbeddings(ctx, goopenai.EmbeddingRequest{
				Model: "text-embedding-3-small",
				Input: []string{"a", "b"},
			})
			if err != nil {
				return err
			}
			return expect(len(answer.Data) == 2, answer)
		}},
	}
}

func anthropicSteps() []step {
	client := anthropic.NewClient(
		anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey(key), anthropicoption.WithMaxRetries(0),
	)
	params := anthropic.MessageNewParams{
		Model:     "claude-sonnet-4-5-20250929",
		MaxTokens: 2_000,
		Thinking:  anthropic.ThinkingConfigParamOfEnabled(1_024),
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Say hello."))},
	}
	return []step{
		{"anthropic-sdk-go", "thinking_1024", func() error {
			answer, err := client.Messages.New(ctx, params)
			if err != nil {
				return err
			}
			return expect(len(answer.Content) == 2, answer.Content)
		}},
		{"anthropic-sdk-go", "stream", func() error {
			stream := client.Messages.NewStreaming(ctx, params)
			message := anthropic.Message{}
			for stream.Next() {
				if err := message.Accumulate(stream.Current()); err != nil {
					return err
				}
			}
			return errors.Join(stream.Err(), expect(len(message.Content) == 2, message.Content))
		}},
	}
}

func genaiSteps() []step {
	client := func() *genai.Client {
		client, err := genai.NewClient(ctx, &genai.ClientConfig{
			APIKey:      key,
			Backend:     genai.BackendGeminiAPI,
			HTTPOptions: genai.HTTPOptions{BaseURL: base},
		})
		if err != nil {
			panic(err)
		}
		return client
	}()
	cloud, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      key,
		Backend:     genai.BackendVertexAI,
		HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: "v1beta1"},
	})
	if err != nil {
		panic(err)
	}
	finished := func(client *genai.Client) (*genai.Video, error) {
		operation, err := client.Models.GenerateVideosFromSource(ctx, veoModel, &genai.GenerateVideosSource{Prompt: "a fox"}, nil)
		for err == nil && !operation.Done {
			time.Sleep(200 * time.Millisecond)
			operation, err = client.Operations.GetVideosOperation(ctx, operation, nil)
		}
		if err != nil {
			return nil, err
		}
		if operation.Response == nil || len(operation.Response.GeneratedVideos) == 0 {
			return nil, fmt.Errorf("no video: %+v", operation)
		}
		return operation.Response.GeneratedVideos[0].Video, nil
	}
	return []step{
		{"genai-go", "content", func() error {
			answer, err := client.Models.GenerateContent(ctx, geminiModel, genai.Text("Say hello."), nil)
			if err != nil {
				return err
			}
			return expect(answer.Text() != "", answer)
		}},
		{"genai-go", "content_stream", func() error {
			text := ""
			for chunk, err := range client.Models.GenerateContentStream(ctx, geminiModel, genai.Text("Say hello."), nil) {
				if err != nil {
					return err
				}
				text += chunk.Text()
			}
			return expect(text != "", text)
		}},
		{"genai-go", "video_and_its_file", func() error {
			video, err := finished(client)
			if err != nil {
				return err
			}
			// It reads addresses of either scheme.
			content, err := client.Files.Download(ctx, genai.NewDownloadURIFromVideo(video), nil)
			if err != nil {
				return err
			}
			return expect(len(content) > 100, len(content))
		}},
		{"genai-go vertex", "content", func() error {
			answer, err := cloud.Models.GenerateContent(ctx, geminiModel, genai.Text("Say hello."), nil)
			if err != nil {
				return err
			}
			return expect(answer.Text() != "", answer)
		}},
		{"genai-go vertex", "images", func() error {
			answer, err := cloud.Models.GenerateImages(ctx, imagenModel, "a fox", &genai.GenerateImagesConfig{NumberOfImages: 2})
			if err != nil {
				return err
			}
			return expect(len(answer.GeneratedImages) == 2 && len(answer.GeneratedImages[0].Image.ImageBytes) > 0, answer)
		}},
		{"genai-go vertex", "video", func() error {
			video, err := finished(cloud)
			if err != nil {
				return err
			}
			return expect(len(video.VideoBytes) > 100, video.URI)
		}},
	}
}

func arkSteps(prefix string) []step {
	client := arkruntime.NewClientWithApiKey(key, arkruntime.WithBaseUrl(base+prefix), arkruntime.WithRetryTimes(0))
	name := "volcengine ark go " + prefix
	hello := []*arkmodel.ChatCompletionMessage{{
		Role:    arkmodel.ChatMessageRoleUser,
		Content: &arkmodel.ChatCompletionMessageContent{StringValue: volcengine.String("Say hello.")},
	}}
	return []step{
		{name, "chat", func() error {
			answer, err := client.CreateChatCompletion(ctx, arkmodel.CreateChatCompletionRequest{Model: arkText, Messages: hello})
			if err != nil {
				return err
			}
			return expect(*answer.Choices[0].Message.Content.StringValue != "", answer)
		}},
		{name, "chat_stream", func() error {
			stream, err := client.CreateChatCompletionStream(ctx, arkmodel.CreateChatCompletionRequest{Model: arkText, Messages: hello})
			if err != nil {
				return err
			}
			defer stream.Close()
			text := ""
			for {
				chunk, err := stream.Recv()
				if errors.Is(err, io.EOF) {
					return expect(text != "", text)
				}
				if err != nil {
					return err
				}
				for _, choice := range chunk.Choices {
					text += choice.Delta.Content
				}
			}
		}},
		{name, "images", func() error {
			answer, err := client.GenerateImages(ctx, arkmodel.GenerateImagesRequest{Model: arkPicture, Prompt: "a fox"})
			if err != nil {
				return err
			}
			return expect(len(answer.Data) == 1 && answer.Data[0].Url != nil, answer)
		}},
		{name, "video_by_its_link", func() error {
			begun, err := client.CreateContentGenerationTask(ctx, arkmodel.CreateContentGenerationTaskRequest{
				Model:   arkVideo,
				Content: []*arkmodel.CreateContentGenerationContentItem{{Type: "text", Text: volcengine.String("a fox")}},
			})
			if err != nil {
				return err
			}
			task := arkmodel.GetContentGenerationTaskResponse{}
			for task.Status != "succeeded" && err == nil {
				time.Sleep(200 * time.Millisecond)
				request := arkmodel.GetContentGenerationTaskRequest{ID: begun.ID}
				task, err = client.GetContentGenerationTask(ctx, request)
			}
			if err != nil {
				return err
			}
			file, err := http.Get(task.Content.VideoURL)
			if err != nil {
				return err
			}
			defer file.Body.Close()
			content, err := io.ReadAll(file.Body)
			return errors.Join(err, expect(file.StatusCode == 200 && len(content) > 100, file.Status))
		}},
		{name, "refusal", func() error {
			_, err := client.CreateChatCompletion(ctx, arkmodel.CreateChatCompletionRequest{Model: arkText})
			failure := &arkmodel.APIError{}
			return expect(errors.As(err, &failure) && failure.Code != "" && failure.HTTPStatusCode == 400, err)
		}},
	}
}

func main() {
	steps := append(officialSteps(), plainSteps("/v1")...)
	steps = append(steps, plainSteps("/openai/v1")...)
	steps = append(steps, anthropicSteps()...)
	steps = append(steps, genaiSteps()...)
	steps = append(steps, arkSteps("/api/v3")...)
	steps = append(steps, arkSteps("/seedance/api/v3")...)
	for _, each := range steps {
		if isPicked(each) {
			report(each)
		}
	}
}

func isPicked(each step) bool {
	for _, word := range os.Args[3:] {
		if strings.Contains(each.client+" "+each.name, word) {
			return true
		}
	}
	return len(os.Args) == 3
}

func report(each step) {
	said := map[string]string{"client": each.client, "step": each.name}
	query := url.Values{"client": {each.client}, "step": {each.name}}
	announced, err := http.Get(base + "/_step?" + query.Encode())
	if err != nil {
		panic(err)
	}
	announced.Body.Close()
	if err := each.run(); err != nil {
		said["failure"] = err.Error()
	}
	line := &bytes.Buffer{}
	json.NewEncoder(line).Encode(said)
	os.Stdout.Write(line.Bytes())
}
