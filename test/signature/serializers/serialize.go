// Writes what each way to serialize makes of each JSON text on standard input; null for an error.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"strings"
)

type option struct {
	name   string
	indent string
	isSet  bool
}

func serialize(text string, indent string, hasLineFeed, isUnescaped bool) (string, error) {
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&value); err != nil {
		return "", err
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(!isUnescaped)
	encoder.SetIndent("", indent)
	err := encoder.Encode(value)
	if hasLineFeed {
		return buffer.String(), err
	}
	return strings.TrimSuffix(buffer.String(), "\n"), err
}

func main() {
	var payloads []string
	if err := json.NewDecoder(os.Stdin).Decode(&payloads); err != nil {
		panic(err)
	}
	results := map[string][]*string{}
	add := func(name string, run func(string) (string, error)) {
		for _, text := range payloads {
			written, err := run(text)
			if err != nil {
				results[name] = append(results[name], nil)
			} else {
				results[name] = append(results[name], &written)
			}
		}
	}
	indents := []option{{"", "", false}, {"an indent of 2", "  ", true}}
	lineFeeds := []option{{"", "", false}, {"a line feed at its end", "", true}}
	escapes := []option{{"", "", false}, {"SetEscapeHTML(false)", "", true}}
	for _, indent := range indents {
		for _, lineFeed := range lineFeeds {
			for _, escape := range escapes {
				labels := []string{}
				for _, chosen := range []option{indent, lineFeed, escape} {
					if chosen.isSet {
						labels = append(labels, chosen.name)
					}
				}
				name := "json.Marshal of Go"
				if len(labels) > 0 {
					name += " with " + strings.Join(labels, ", ")
				}
				indent, lineFeed, escape := indent, lineFeed, escape
				add(name, func(text string) (string, error) {
					return serialize(text, indent.indent, lineFeed.isSet, escape.isSet)
				})
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"version": strings.TrimPrefix(runtime.Version(), "go"), "ways": results})
}
