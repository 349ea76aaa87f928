// Generates the SDKs of a package schema with Pulumi's own generators: go run . SCHEMA FOLDER makes FOLDER/go, FOLDER/python and FOLDER/java.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi"

type files = map[string][]byte

// Each of them reads the package anew, since a generator leaves its own notes in it.
var generators = map[string]func(*schema.Package) (files, error){
	"go": func(pkg *schema.Package) (files, error) {
		return gogen.GeneratePackage(tool, pkg, nil)
	},
	"python": func(pkg *schema.Package) (files, error) {
		return python.GeneratePackage(tool, pkg, nil, nil)
	},
	"java": func(pkg *schema.Package) (files, error) {
		return java.GeneratePackage(tool, pkg, nil, nil, false, false)
	},
}

func main() {
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(schemaFile, folder string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	for language, generator := range generators {
		var spec schema.PackageSpec
		if err := json.Unmarshal(text, &spec); err != nil {
			return err
		}
		pkg, err := schema.ImportSpec(spec, nil, schema.ValidationOptions{})
		if err != nil {
			return err
		}
		made, err := generator(pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", language, err)
		}
		for name, content := range made {
			path := filepath.Join(folder, language, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, content, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
